#include "executor/compiler/executable.h"

#include "executor/compiler/place/place.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

std::string_view name(Segment::When when) {
  switch (when) {
    case Segment::When::before:
      return "before";
    case Segment::When::each_micro:
      return "each_micro";
    case Segment::When::last_micro:
      return "last_micro";
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

std::string attributes_text(const program::Attributes& attributes) {
  std::string out;
  for (const auto& [name, value] : attributes.items())
    out += (out.empty() ? " {" : ", ") + name + "=" + program::to_text(value);
  return out.empty() ? out : out + "}";
}

std::string operand_text(const Operand& operand) {
  std::string out = to_text(operand.type) + "@" + std::to_string(operand.offset);
  if (operand.per_micro) out += " micro";
  if (!operand.broadcast) return out;
  out += " broadcast[";
  for (std::size_t i = 0; i < operand.broadcast_dims.size(); ++i)
    out += (i == 0 ? "" : ",") + std::to_string(operand.broadcast_dims[i]);
  return out + "]";
}

std::string operands_text(const std::vector<Operand>& operands) {
  std::string out = "(";
  for (std::size_t i = 0; i < operands.size(); ++i)
    out += (i == 0 ? "" : ", ") + operand_text(operands[i]);
  return out + ")";
}

std::string call_text(const Instruction& instruction, const program::Mesh& mesh) {
  if (const auto* kernel = std::get_if<KernelCall>(&instruction.call))
    return std::string(program::name(kernel->kernel)) + attributes_text(kernel->attributes);
  if (const auto* fused = std::get_if<FusedCall>(&instruction.call))
    return to_text(*fused, instruction.inputs.size());
  if (const auto* region = std::get_if<RegionCall>(&instruction.call))
    return "region " + std::string(program::op_row(region->op).name) +
           attributes_text(region->attributes);
  if (const auto* call = std::get_if<CollectiveCall>(&instruction.call)) {
    std::string out = to_text(call->collective, mesh);
    if (call->members.size() > 1) out += " of " + std::to_string(call->members.size());
    return out;
  }
  return "accumulate";
}

std::string instruction_text(const Instruction& instruction, const program::Mesh& mesh) {
  std::string out = instruction.stream == Stream::compute ? "compute " : "communicate ";
  out += call_text(instruction, mesh) + " " + operands_text(instruction.inputs) + " -> " +
         operands_text(instruction.outputs);
  if (instruction.scratch_bytes > 0)
    out += " scratch " + std::to_string(instruction.scratch_bytes) + "@" +
           std::to_string(instruction.scratch_offset);
  for (std::size_t i = 0; i < instruction.waits.size(); ++i)
    out += (i == 0 ? " waits " : ",") + std::to_string(instruction.waits[i]);
  if (instruction.signals >= 0) out += " signals " + std::to_string(instruction.signals);
  return out + "  # " + instruction.label;
}

std::string ports_text(std::string_view kind, const std::vector<Port>& ports,
                       const program::Mesh& mesh) {
  std::string out;
  for (const Port& port : ports)
    out += "  " + std::string(kind) + " " + port.name + ": " + to_text(port.global) + " " +
           to_text(port.operand.sharding, mesh) + " = " + operand_text(port.operand) + "\n";
  return out;
}

std::string variables_text(const std::vector<VariableSlot>& variables, const program::Mesh& mesh) {
  std::string out;
  for (const VariableSlot& variable : variables)
    out += "variable " + variable.global.name + ": " + to_text(variable.global.type) + " " +
           to_text(variable.operand.sharding, mesh) + " = " + operand_text(variable.operand) + "\n";
  return out;
}

}  // namespace

std::string to_text(const FusedCall& call, std::size_t inputs) {
  std::string out = "fused(";
  for (std::size_t m = 0; m < call.maps.size(); ++m) {
    const FusedMap& map = call.maps[m];
    out += (m == 0 ? "" : ", ") + std::string(program::name(map.kernel)) + "(";
    for (std::size_t k = 0; k < map.operands.size(); ++k)
      out += (k == 0 ? "" : ",") + std::to_string(map.operands[k]);
    out += ")";
  }
  out += ") ->";
  for (const int map : call.results)
    out += " " + std::to_string(static_cast<std::size_t>(map) + inputs);
  return out;
}

const ExecutableEntry* Executable::find_entry(std::string_view name) const {
  for (const ExecutableEntry& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::string print(const Executable& executable) {
  const program::Mesh& mesh = executable.plan.mesh;
  std::string out = "executable, arena " + std::to_string(executable.arena_bytes) + " bytes\n";
  out += variables_text(executable.variables, mesh);
  for (const ExecutableEntry& entry : executable.entries) {
    out += "entry " + entry.name + ", " + std::to_string(entry.events) + " events {\n";
    out += ports_text("input", entry.inputs, mesh) + ports_text("output", entry.outputs, mesh);
    for (const Segment& segment : entry.segments) {
      out += "  segment " + std::string(name(segment.when)) + "\n";
      for (const Instruction& instruction : segment.instructions)
        out += "    " + instruction_text(instruction, mesh) + "\n";
    }
    out += "}\n";
  }
  return out;
}

std::string print(const PlacedProgram& program) {
  const program::Mesh& mesh = program.plan.mesh;
  std::string out = "placed program, arena " + std::to_string(program.arena_bytes) +
                    " bytes, variables " + std::to_string(program.variable_bytes) + "\n";
  out += variables_text(program.variables, mesh);
  for (const PlacedEntry& entry : program.entries) {
    out += "entry " + entry.name + " {\n";
    out += ports_text("input", entry.inputs, mesh) + ports_text("output", entry.outputs, mesh);
    for (const Buffer& buffer : entry.buffers)
      out += "  buffer " + std::to_string(buffer.bytes) + "@" + std::to_string(buffer.offset) +
             " steps " + std::to_string(buffer.first) + " to " + std::to_string(buffer.last) +
             "  # " + buffer.label + "\n";
    for (const PlacedStep& step : entry.steps)
      out += "  " + std::string(name(step.phase)) + " " + instruction_text(step.instruction, mesh) +
             "\n";
    out += "}\n";
  }
  return out;
}

}  // namespace penstock::compiler
