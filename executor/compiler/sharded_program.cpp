#include "executor/compiler/sharded_program.h"

#include "executor/compiler/local_type.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

std::string_view name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
    case CollectiveKind::slice:
      return "slice";
    case CollectiveKind::accumulate:
      return "accumulate";
  }
  return "?";
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::before:
      return "before";
    case Phase::each:
      return "each";
    case Phase::after:
      return "after";
  }
  return "?";
}

std::string value_text(ValueId id) {
  return "%" + std::to_string(id.index);
}

std::string typed(const ShardedEntry& entry, ValueId id, const program::Mesh& mesh) {
  const ShardedValue& value = entry.value(id);
  return value_text(id) + ": " + to_text(value.local) + " " + to_text(value.sharding, mesh);
}

std::string attributes_text(const program::Attributes& attributes) {
  std::string out;
  for (const auto& [name, value] : attributes.items())
    out += (out.empty() ? " {" : ", ") + name + "=" + program::to_text(value);
  return out.empty() ? out : out + "}";
}

std::string node_text(const ShardedEntry& entry, const ShardedNode& node,
                      const program::Mesh& mesh) {
  std::string out;
  for (const ValueId id : node.outputs) out += (out.empty() ? "" : ", ") + typed(entry, id, mesh);
  out += " = " +
         (node.collective ? to_text(*node.collective, mesh)
                          : std::string(program::op_row(node.op).name)) +
         "(";
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    out += (i == 0 ? "" : ", ") + value_text(node.inputs[i]);
  out += ")" + attributes_text(node.attributes);
  if (time_axis(mesh) >= 0) out += " " + std::string(name(node.phase));
  return out;
}

std::string entry_text(const ShardedProgram& program, const ShardedEntry& entry) {
  const program::Mesh& mesh = program.plan.mesh;
  std::string out = "entry " + entry.name + " {\n";
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const ShardedValue& value = entry.values[i];
    if (value.source == program::Source::node) continue;
    const bool input = value.source == program::Source::input;
    out += "  " + typed(entry, {static_cast<std::int32_t>(i)}, mesh) +
           (input ? " = input " + value.name
                  : " = read " +
                        program.variables[static_cast<std::size_t>(value.index)].global.name) +
           "\n";
  }
  for (const ShardedNode& node : entry.nodes) out += "  " + node_text(entry, node, mesh) + "\n";
  for (const program::NamedValue& output : entry.outputs)
    out += "  output " + output.name + " = " + value_text(output.value) + "\n";
  for (const program::VariableWrite& write : entry.writes)
    out += "  write " + program.variables[static_cast<std::size_t>(write.variable)].global.name +
           " = " + value_text(write.value) + "\n";
  return out + "}\n";
}

}  // namespace

std::string to_text(const Collective& collective, const program::Mesh& mesh) {
  std::string out = std::string(name(collective.kind)) + "[" +
                    mesh.axes[static_cast<std::size_t>(collective.axis)].name;
  if (collective.dim >= 0) out += ", dim " + std::to_string(collective.dim);
  if (collective.bucket >= 0) out += ", bucket " + std::to_string(collective.bucket);
  return out + "]";
}

std::string print(const ShardedProgram& program) {
  const program::Mesh& mesh = program.plan.mesh;
  std::string out = "sharded program\nmesh";
  for (const program::MeshAxis& axis : mesh.axes)
    out += " " + axis.name + "=" + std::to_string(axis.size) + (axis.time ? "*" : "");
  out += "\n";
  for (const ShardedVariable& variable : program.variables)
    out += "variable " + variable.global.name + ": " + to_text(variable.local) + " " +
           to_text(variable.sharding, mesh) + "\n";
  for (const ShardedEntry& entry : program.entries) out += entry_text(program, entry);
  return out;
}

}  // namespace penstock::compiler
