#include <string>

#include "executor/compiler/local_type.h"
#include "executor/compiler/partition/choose.h"
#include "executor/compiler/partition/partition.h"
#include "executor/compiler/sharded_entry.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

using program::AxisSharding;
using program::Linearity;
using program::Mesh;
using program::Sharding;
using program::Spread;

Error broken(std::string message) {
  return {ErrorCode::internal, std::move(message)};
}

/// Whether the operands' partial sums pass through the op on this axis.
bool partial_passes(const ShardedEntry& entry, const ShardedNode& node, Linearity linearity,
                    std::size_t axis) {
  std::size_t partial = 0;
  for (const ValueId id : node.inputs) {
    const Spread spread = entry.value(id).sharding[axis].spread;
    partial += spread == Spread::partial ? 1 : 0;
    if (spread == Spread::split) return false;
  }
  for (const ValueId id : node.outputs)
    if (entry.value(id).sharding[axis].spread != Spread::partial) return false;
  switch (linearity) {
    case Linearity::none:
      return false;
    case Linearity::in_each:
      return partial == 1;
    case Linearity::in_all:
      return partial == node.inputs.size();
    case Linearity::first_only:
      return partial == 1 && entry.value(node.inputs[0]).sharding[axis].spread == Spread::partial;
  }
  return false;
}

Status check_op(const ShardedEntry& entry, const ShardedNode& node) {
  const program::OpRow& row = program::op_row(node.op);
  const program::Types types = local_types(entry, node.inputs);
  const Result<program::Types> inferred = row.infer({types, node.attributes});
  if (!inferred.ok()) return broken("local types: " + inferred.error().message);
  const program::Types results = local_types(entry, node.outputs);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i] != (*inferred)[i])
      return broken("the local result is " + to_text(results[i]) + ", the op makes " +
                    to_text((*inferred)[i]));
  const program::ShardingRule rule = row.sharding({types, node.attributes});
  const std::size_t axes = entry.value(node.outputs[0]).sharding.size();
  for (std::size_t a = 0; a < axes; ++a)
    for (const ValueId id : node.inputs)
      if (entry.value(id).sharding[a].spread == Spread::partial &&
          !partial_passes(entry, node, rule.linearity, a))
        return broken("a partial sum meets an op that is not linear in it");
  return {};
}

Status check_collective(const ShardedEntry& entry, const ShardedNode& node, const Mesh& mesh) {
  const Collective& c = *node.collective;
  if (c.axis < 0 || static_cast<std::size_t>(c.axis) >= mesh.axes.size() ||
      node.inputs.size() != 1 || node.outputs.size() != 1)
    return broken("a collective has one operand, one result and an axis");
  Sharding from = entry.value(node.inputs[0]).sharding;
  const Sharding& to = entry.value(node.outputs[0]).sharding;
  const auto axis = static_cast<std::size_t>(c.axis);
  const AxisSharding whole, partial{Spread::partial, -1}, split{Spread::split, c.dim};
  AxisSharding before = whole, after = whole;
  const bool time = mesh.axes[axis].time;
  switch (c.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::accumulate:
      before = partial;
      break;
    case CollectiveKind::all_gather:
      before = split;
      break;
    case CollectiveKind::reduce_scatter:
      before = partial;
      after = split;
      break;
    case CollectiveKind::slice:
      after = split;
      break;
  }
  if (c.kind != CollectiveKind::slice && (c.kind == CollectiveKind::accumulate) != time)
    return broken("accumulation is over time, communication over devices");
  if (from[axis] != before || to[axis] != after) return broken("a collective has other layouts");
  from[axis] = to[axis];
  if (from != to) return broken("a collective changes the layout over another axis");
  return {};
}

Status check_values(const ShardedProgram& program, const ShardedEntry& entry) {
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const ShardedValue& value = entry.values[i];
    const std::string place = "%" + std::to_string(i);
    if (value.local != local_type(value.global, value.sharding, program.plan.mesh))
      return broken(place + ": local type and layout differ");
    if (value.source == program::Source::variable &&
        value.sharding != program.variables[static_cast<std::size_t>(value.index)].sharding)
      return broken(place + ": a variable is read in another layout than its own");
  }
  return {};
}

Status check_ends(const ShardedProgram& program, const ShardedEntry& entry) {
  for (const program::NamedValue& output : entry.outputs)
    for (const AxisSharding& axis : entry.value(output.value).sharding)
      if (axis.spread == Spread::partial || axis.spread == Spread::distinct)
        return broken("output " + output.name + " is neither whole nor cut");
  for (const program::VariableWrite& write : entry.writes) {
    const ShardedVariable& variable = program.variables[static_cast<std::size_t>(write.variable)];
    if (entry.value(write.value).sharding != variable.sharding)
      return broken("write of " + variable.global.name + ": the layouts differ");
  }
  return {};
}

Status check_entry(const ShardedProgram& program, const ShardedEntry& entry) {
  PENSTOCK_TRY(check_values(program, entry));
  std::size_t made = 0;
  for (const ShardedValue& value : entry.values)
    made += value.source != program::Source::node ? 1 : 0;
  for (const ShardedNode& node : entry.nodes) {
    const std::string place = "%" + std::to_string(node.outputs[0].index);
    for (const ValueId id : node.inputs)
      if (static_cast<std::size_t>(id.index) >= made)
        return broken(place + ": an operand is made later");
    made += node.outputs.size();
    Status status =
        node.collective ? check_collective(entry, node, program.plan.mesh) : check_op(entry, node);
    if (!status.ok()) return std::move(status).error().in(place);
  }
  return check_ends(program, entry);
}

}  // namespace

Status verify(const ShardedProgram& program) {
  for (const ShardedEntry& entry : program.entries)
    if (Status status = check_entry(program, entry); !status.ok())
      return std::move(status).error().in("entry " + entry.name);
  return {};
}

}  // namespace penstock::compiler
