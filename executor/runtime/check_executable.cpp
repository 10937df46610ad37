#include "executor/runtime/check_executable.h"

#include <string>
#include <variant>

#include "base/units.h"
#include "executor/runtime/extents.h"

namespace penstock::runtime {
namespace {

using compiler::CollectiveCall;
using compiler::CollectiveKind;
using compiler::Executable;
using compiler::ExecutableEntry;
using compiler::Instruction;
using compiler::Operand;
using compiler::Segment;

/// Bytes of one micro-batch of an operand, from bounds.
Result<std::int64_t> micro_bytes(const Operand& operand) {
  std::int64_t bytes = program::size_of(operand.type.dtype);
  for (const program::Dim& dim : operand.type.shape) {
    PENSTOCK_ASSIGN(bytes, checked_mul(bytes, dim.bound));
  }
  return bytes;
}

/// That a block of the arena starts aligned and ends inside.
Status check_block(std::int64_t offset, std::int64_t bytes, const Executable& executable) {
  PENSTOCK_ASSIGN(const std::int64_t end, checked_add(offset, bytes));
  if (offset >= 0 && bytes >= 0 && offset % compiler::kOperandAlignment == 0 &&
      end <= executable.arena_bytes) {
    return {};
  }
  return invalid("a block lies at bytes " + std::to_string(offset) + " to " + std::to_string(end) +
                 ": it must start at a multiple of " + std::to_string(compiler::kOperandAlignment) +
                 " and end within the arena of " + std::to_string(executable.arena_bytes));
}

Status check_operand(const Operand& operand, const Executable& executable) {
  const auto& mesh = executable.plan.mesh;
  if (operand.sharding.size() != mesh.axes.size()) {
    return invalid("an operand is sharded over " + std::to_string(operand.sharding.size()) +
                   " axes, the mesh has " + std::to_string(mesh.axes.size()));
  }
  if (operand.type.shape.size() > static_cast<std::size_t>(TensorView::kMaxRank)) {
    return invalid("an operand has " + std::to_string(operand.type.shape.size()) +
                   " dimensions, at most " + std::to_string(TensorView::kMaxRank) + " are allowed");
  }
  if (operand.per_micro && program::dynamic_dim(operand.type.shape) > 0) {
    return invalid("a per-micro operand must be dynamic along dimension 0: " +
                   program::to_text(operand.type));
  }
  PENSTOCK_ASSIGN(const std::int64_t bytes, micro_bytes(operand));
  return check_block(operand.offset, bytes, executable);
}

/// The product of the parts that axes of one kind cut a dimension into.
std::int64_t parts_of(const program::Sharding& sharding, const program::Mesh& mesh, int dim) {
  std::int64_t parts = 1;
  for (std::size_t axis = 0; axis < sharding.size(); ++axis) {
    if (sharding[axis].spread == program::Spread::split && sharding[axis].dim == dim) {
      parts *= mesh.axes[axis].size;
    }
  }
  return parts;
}

/// All micro-batches of a port, at the largest batch, lie within the arena.
Status check_port_size(const compiler::Port& port, const Executable& executable,
                       std::int64_t rank) {
  const auto& mesh = executable.plan.mesh;
  const int dynamic = program::dynamic_dim(port.global.shape);
  const std::int64_t rows =
      dynamic < 0 ? 0 : port.global.shape[static_cast<std::size_t>(dynamic)].bound;
  const Position position = position_of(mesh, rank);
  const TensorView view = device_view(port.operand, {mesh, position, rows}, nullptr);
  return check_block(port.operand.offset, view.elements() * program::size_of(view.dtype),
                     executable);
}

/// A static dimension must divide evenly, because its bound is its true size on every device.
Status check_even(const program::TensorType& global, const Operand& operand,
                  const program::Mesh& mesh) {
  if (global.shape.size() != operand.type.shape.size()) {
    return invalid("local shape " + program::to_text(operand.type) + " of " +
                   program::to_text(global));
  }
  for (std::size_t dim = 0; dim < global.shape.size(); ++dim) {
    if (global.shape[dim].dynamic) continue;
    const std::int64_t parts = parts_of(operand.sharding, mesh, static_cast<int>(dim));
    if (operand.type.shape[dim].bound * parts != global.shape[dim].bound) {
      return Error{ErrorCode::unimplemented,
                   "dimension " + std::to_string(dim) + " of " + program::to_text(global) +
                       " does not divide evenly into " + std::to_string(parts) +
                       " parts; use a dynamic dimension or another plan"};
    }
  }
  return {};
}

Status check_collective(const Instruction& instruction, const CollectiveCall& call,
                        const Executable& executable, const CheckOptions& options) {
  const auto& mesh = executable.plan.mesh;
  const int axis = call.collective.axis;
  if (axis < 0 || static_cast<std::size_t>(axis) >= mesh.axes.size()) {
    return invalid("mesh axis " + std::to_string(axis) + " does not exist");
  }
  if (instruction.inputs.empty() || instruction.outputs.empty()) {
    return invalid("a collective has one input and one output");
  }
  const program::Shape& from = instruction.inputs[0].type.shape;
  const int dim = call.collective.dim;
  const bool along = call.collective.kind == CollectiveKind::slice ||
                     call.collective.kind == CollectiveKind::all_gather ||
                     call.collective.kind == CollectiveKind::reduce_scatter;
  if (along && (dim < 0 || static_cast<std::size_t>(dim) >= from.size())) {
    return invalid("dimension " + std::to_string(dim) + " does not exist in " +
                   program::to_text(from));
  }
  if (call.collective.kind == CollectiveKind::slice) return {};
  if (instruction.stream != compiler::Stream::communicate) {
    return invalid("a collective is on the compute stream");
  }
  if (!options.has_collectives) {
    return invalid("a collective, but this device has no collective stream");
  }
  if (instruction.signals < 0) return invalid("a collective signals no event");
  if (!along) return {};
  if (program::dynamic_dim(from) >= 0 ||
      program::dynamic_dim(instruction.outputs[0].type.shape) >= 0) {
    return Error{ErrorCode::unimplemented,
                 "gathering or scattering a dynamic dimension: " + program::to_text(from)};
  }
  for (int i = 0; i < dim; ++i) {
    if (from[static_cast<std::size_t>(i)].bound != 1) {
      return Error{ErrorCode::unimplemented,
                   "gathering or scattering along dimension " + std::to_string(dim) + " of " +
                       program::to_text(from) + "; only the outermost one is a contiguous block"};
    }
  }
  return {};
}

/// Maps read inputs or what maps before them make, and every output is made by one.
Status check_fused(const Instruction& instruction, const compiler::FusedCall& call) {
  const std::size_t inputs = instruction.inputs.size();
  if (inputs > compiler::kFusedInputsMax || call.maps.size() > compiler::kFusedMapsMax ||
      call.results.size() != instruction.outputs.size())
    return invalid(std::to_string(call.maps.size()) + " maps are fused over " +
                   std::to_string(inputs) + " inputs");
  for (std::size_t m = 0; m < call.maps.size(); ++m) {
    const std::vector<int>& operands = call.maps[m].operands;
    if (operands.empty() || operands.size() > 3) return invalid("a map of no or many operands");
    for (const int operand : operands)
      if (operand < 0 || static_cast<std::size_t>(operand) >= inputs + m)
        return invalid("a fused map reads operand " + std::to_string(operand));
  }
  for (const int result : call.results)
    if (result < 0 || static_cast<std::size_t>(result) >= call.maps.size())
      return invalid("a fused output is made by map " + std::to_string(result));
  return {};
}

Status check_instruction(const Instruction& instruction, const ExecutableEntry& entry,
                         const Executable& executable, const CheckOptions& options) {
  for (const Operand& operand : instruction.inputs) {
    PENSTOCK_TRY(check_operand(operand, executable));
  }
  for (const Operand& operand : instruction.outputs) {
    PENSTOCK_TRY(check_operand(operand, executable));
  }
  if (instruction.outputs.empty()) return invalid("no outputs");
  const auto inside = [&](std::int32_t event) { return event >= 0 && event < entry.events; };
  for (std::int32_t event : instruction.waits) {
    if (!inside(event)) return invalid("waits for event " + std::to_string(event));
  }
  if (instruction.signals >= 0 && !inside(instruction.signals)) {
    return invalid("signals event " + std::to_string(instruction.signals));
  }
  if (instruction.scratch_bytes != 0) {
    PENSTOCK_TRY(check_block(instruction.scratch_offset, instruction.scratch_bytes, executable));
  }
  if (const auto* call = std::get_if<compiler::FusedCall>(&instruction.call)) {
    PENSTOCK_TRY(check_fused(instruction, *call));
  }
  if (std::holds_alternative<compiler::AccumulateCall>(instruction.call) &&
      (instruction.inputs.size() != 1 || instruction.outputs.size() != 1)) {
    return invalid("an accumulation has one input and one output");
  }
  if (const auto* call = std::get_if<CollectiveCall>(&instruction.call)) {
    PENSTOCK_TRY(check_collective(instruction, *call, executable, options));
  }
  return {};
}

Status check_entry(const ExecutableEntry& entry, const Executable& executable,
                   const CheckOptions& options) {
  for (const Segment& segment : entry.segments) {
    for (const Instruction& instruction : segment.instructions) {
      Status status = check_instruction(instruction, entry, executable, options);
      if (!status.ok()) {
        return std::move(status).error().in("entry '" + entry.name + "', " + instruction.label);
      }
    }
  }
  for (const auto* ports : {&entry.inputs, &entry.outputs}) {
    for (const compiler::Port& port : *ports) {
      Status status = check_operand(port.operand, executable);
      if (status.ok()) status = check_even(port.global, port.operand, executable.plan.mesh);
      if (status.ok()) status = check_port_size(port, executable, options.rank);
      if (!status.ok()) {
        return std::move(status).error().in("entry '" + entry.name + "', port '" + port.name + "'");
      }
    }
  }
  return {};
}

}  // namespace

Status check_executable(const Executable& executable, const CheckOptions& options) {
  if (options.rank < 0 || options.rank >= executable.plan.mesh.devices()) {
    return invalid("rank " + std::to_string(options.rank) + " of a mesh of " +
                   std::to_string(executable.plan.mesh.devices()) + " devices");
  }
  for (const compiler::VariableSlot& slot : executable.variables) {
    Status status = check_operand(slot.operand, executable);
    if (status.ok()) status = check_even(slot.global.type, slot.operand, executable.plan.mesh);
    if (!status.ok()) {
      return std::move(status).error().in("variable '" + slot.global.name + "'");
    }
  }
  for (const ExecutableEntry& entry : executable.entries) {
    PENSTOCK_TRY(check_entry(entry, executable, options));
  }
  return {};
}

}  // namespace penstock::runtime
