#include "executor/compiler/partition/partition.h"

#include <algorithm>
#include <string>
#include <vector>

#include "executor/compiler/local_type.h"
#include "executor/compiler/partition/annotations.h"
#include "executor/compiler/partition/choose.h"
#include "executor/compiler/partition/layouts.h"
#include "executor/compiler/partition/propagate.h"
#include "executor/compiler/sharded_entry.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

using program::Entry;
using program::Mesh;
using program::Node;
using program::ShardingRule;
using program::Spread;

std::string place_of(const Entry& entry, const Node& node) {
  return "entry " + entry.name + ", " + std::string(program::op_row(node.op).name) + " %" +
         std::to_string(node.outputs[0].index);
}

program::Types types_of(const Entry& entry, const std::vector<program::ValueId>& ids) {
  program::Types out;
  for (const program::ValueId id : ids) out.push_back(entry.type(id));
  return out;
}

std::vector<ShardingRule> rules_of(const Entry& entry) {
  std::vector<ShardingRule> out;
  for (const Node& node : entry.nodes) {
    const program::Types types = types_of(entry, node.inputs);
    out.push_back(program::op_row(node.op).sharding({types, node.attributes}));
  }
  return out;
}

Status add_node(const Entry& entry, const Node& node, const NodeLayout& layout, Layouts& layouts,
                const Mesh& mesh) {
  std::vector<ValueId> inputs;
  program::Types local_operands, local_results;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    PENSTOCK_ASSIGN(const ValueId input, layouts.convert(node.inputs[i], layout.operands[i]));
    inputs.push_back(input);
    local_operands.push_back(layouts.entry().value(input).local);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    local_results.push_back(local_type(entry.type(node.outputs[i]), layout.results[i], mesh));
  const program::Types whole = types_of(entry, node.inputs);
  layouts.add_node(node,
                   local_attributes(program::op_row(node.op), {whole, node.attributes},
                                    local_operands, local_results),
                   std::move(inputs), layout.results);
  return {};
}

Status add_outputs(const Entry& entry, Layouts& layouts, const Mesh& mesh, ShardedEntry& ends) {
  for (const program::NamedValue& output : entry.outputs) {
    program::Sharding wanted = layouts.made(output.value);
    for (std::size_t a = 0; a < wanted.size(); ++a) {
      if (wanted[a].spread == Spread::partial) wanted[a] = {};
      if (wanted[a].spread == Spread::distinct)
        return Error{ErrorCode::unimplemented, "entry " + entry.name + ", output " + output.name +
                                                   " is distinct over axis " + mesh.axes[a].name +
                                                   ": each rank has its own"};
    }
    Result<ValueId> value = layouts.convert(output.value, wanted);
    if (!value.ok())
      return std::move(value).error().in("entry " + entry.name + ", output " + output.name);
    ends.outputs.push_back({output.name, *value});
  }
  return {};
}

Status add_writes(const program::Program& program, const Entry& entry,
                  const SourceShardings& sources, Layouts& layouts, ShardedEntry& ends) {
  for (const program::VariableWrite& write : entry.writes) {
    const auto variable = static_cast<std::size_t>(write.variable);
    Result<ValueId> value = layouts.convert(write.value, sources.variables[variable]);
    if (!value.ok())
      return std::move(value).error().in("entry " + entry.name + ", write of " +
                                         program.variables[variable].name);
    ends.writes.push_back({write.variable, *value});
  }
  return {};
}

Result<ShardedEntry> partition_entry(const program::Program& program, const Entry& entry,
                                     const SourceShardings& sources, const Mesh& mesh) {
  const std::vector<ShardingRule> rules = rules_of(entry);
  const Wishes wishes = propagate(entry, rules, sources, mesh);
  Layouts layouts(entry, mesh);
  for (std::size_t i = 0; i < entry.values.size(); ++i)
    if (entry.values[i].source != program::Source::node)
      layouts.add_source({static_cast<std::int32_t>(i)}, sources.of(entry, entry.values[i]));
  for (std::size_t n = 0; n < entry.nodes.size(); ++n) {
    const Node& node = entry.nodes[n];
    Result<NodeLayout> layout = choose_layout(entry, node, rules[n], layouts, wishes, mesh);
    if (!layout.ok()) return std::move(layout).error().in(place_of(entry, node));
    if (Status added = add_node(entry, node, *layout, layouts, mesh); !added.ok())
      return std::move(added).error().in(place_of(entry, node));
  }
  ShardedEntry ends;
  PENSTOCK_TRY(add_outputs(entry, layouts, mesh, ends));
  PENSTOCK_TRY(add_writes(program, entry, sources, layouts, ends));
  ShardedEntry out = std::move(layouts).take();
  out.outputs = std::move(ends.outputs);
  out.writes = std::move(ends.writes);
  return without_dead_nodes(out);
}

}  // namespace

Result<ShardedProgram> partition(const program::Program& program, const program::Plan& plan) {
  PENSTOCK_ASSIGN(const SourceShardings sources, read_annotations(program, plan));
  ShardedProgram out;
  out.seed = program.seed;
  out.plan = plan;
  for (std::size_t v = 0; v < program.variables.size(); ++v)
    out.variables.push_back({program.variables[v],
                             local_type(program.variables[v].type, sources.variables[v], plan.mesh),
                             sources.variables[v]});
  for (const Entry& entry : program.entries) {
    PENSTOCK_ASSIGN(ShardedEntry sharded, partition_entry(program, entry, sources, plan.mesh));
    out.entries.push_back(std::move(sharded));
  }
  return out;
}

}  // namespace penstock::compiler
