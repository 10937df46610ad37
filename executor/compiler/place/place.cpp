#include "executor/compiler/place/place.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/units.h"
#include "executor/compiler/index.h"
#include "executor/compiler/local_type.h"
#include "executor/compiler/place/buffers.h"
#include "executor/compiler/place/storage.h"
#include "executor/compiler/schedule/schedule.h"

namespace penstock::compiler {
namespace {

/// Turns the steps of one entry into instructions on the arena.
class EntryPlacer {
 public:
  EntryPlacer(Schedule schedule, const program::Mesh& mesh, const Target& target,
              const std::vector<VariableSlot>& variables, std::int64_t start)
      : schedule_(std::move(schedule)),
        mesh_(mesh),
        target_(target),
        variables_(variables),
        start_(start) {}

  Result<PlacedEntry> run() {
    storage_ = assign_storage(schedule_, mesh_);
    add_scratch();
    out_.name = schedule_.name;
    end_ = pack(storage_.buffers, start_);
    for (std::size_t i = 0; i < schedule_.values.size(); ++i)
      if (const ShardedValue& value = schedule_.values[i]; value.source == program::Source::input)
        out_.inputs.push_back({value.name, value.global, operand({static_cast<std::int32_t>(i)})});
    for (const program::NamedValue& output : schedule_.outputs) {
      const ShardedValue& value = schedule_.value(output.value);
      out_.outputs.push_back({output.name, value.global, operand(output.value)});
      PENSTOCK_TRY(check_output(out_.outputs.back()));
    }
    for (std::size_t s = 0; s < schedule_.steps.size(); ++s) add_step(s);
    out_.buffers = std::move(storage_.buffers);
    return std::move(out_);
  }

  std::int64_t end() const { return end_; }

 private:
  Status check_output(const Port& port) const {
    const int time = time_axis(mesh_);
    if (time < 0 || !is_time_split(port.operand.sharding, mesh_) ||
        port.operand.sharding[static_cast<std::size_t>(time)].dim == 0)
      return {};
    return Error{
        ErrorCode::unimplemented,
        "output " + port.name + ": micro-batches are cut along another dimension than the first"};
  }

  program::Types types(const std::vector<ValueId>& ids) const {
    program::Types out;
    for (const ValueId id : ids) out.push_back(schedule_.value(id).local);
    return out;
  }

  void add_scratch() {
    scratch_.assign(schedule_.steps.size(), -1);
    for (std::size_t s = 0; s < schedule_.steps.size(); ++s) {
      const Step& step = schedule_.steps[s];
      const program::Types inputs = types(step.inputs);
      std::int64_t bytes = 0;
      if (const auto* kernel = std::get_if<KernelCall>(&step.call))
        bytes = target_.kernel_scratch(kernel->kernel, {inputs, kernel->attributes},
                                       types(step.outputs));
      if (const auto* region = std::get_if<RegionCall>(&step.call))
        bytes = target_.region_scratch(region->op, {inputs, region->attributes});
      if (bytes <= 0) continue;
      scratch_[s] = static_cast<int>(storage_.buffers.size());
      storage_.buffers.push_back({0, aligned(bytes), static_cast<int>(s), static_cast<int>(s),
                                  "work space of " + step.label});
    }
  }

  const Storage::Slot& slot(ValueId id) const { return storage_.slots[at(schedule_.root(id))]; }

  std::int64_t offset(ValueId id) const {
    const Storage::Slot& s = slot(id);
    if (s.variable != Storage::kNone)
      return variables_[static_cast<std::size_t>(s.variable)].operand.offset;
    PENSTOCK_CHECK(s.buffer != Storage::kNone, "a value has no place");
    return storage_.buffers[static_cast<std::size_t>(s.buffer)].offset + s.offset;
  }

  Operand operand(ValueId id) const {
    Operand out;
    if (const auto& view = schedule_.views[at(id)]; view && view->broadcast) {
      out.broadcast = true;
      out.broadcast_dims = view->dims;
      id = view->of;
    }
    const ShardedValue& value = schedule_.value(id);
    out.offset = offset(id);
    out.type = value.local;
    out.sharding = value.sharding;
    out.per_micro = is_time_split(value.sharding, mesh_) && storage_.whole[at(schedule_.root(id))];
    return out;
  }

  /// All bytes that the value may touch, those of the other micro-batches included.
  ByteRange range(ValueId id) const {
    const std::int64_t begin = offset(id);
    const Storage::Slot& s = slot(id);
    const ValueId root = schedule_.root(id);
    if (storage_.whole[at(root)] && s.buffer != Storage::kNone)
      return {begin, begin + storage_.buffers[static_cast<std::size_t>(s.buffer)].bytes};
    return {begin, begin + byte_count(schedule_.value(root).local)};
  }

  void add_step(std::size_t s) {
    const Step& step = schedule_.steps[s];
    PlacedStep placed;
    placed.phase = step.phase;
    Instruction& instruction = placed.instruction;
    instruction.call = step.call;
    instruction.label = step.label;
    for (const ValueId id : step.inputs) {
      instruction.inputs.push_back(operand(id));
      placed.reads.push_back(range(id));
    }
    for (const ValueId id : step.outputs) {
      instruction.outputs.push_back(operand(id));
      placed.writes.push_back(range(id));
    }
    if (scratch_[s] >= 0) {
      const Buffer& scratch = storage_.buffers[static_cast<std::size_t>(scratch_[s])];
      instruction.scratch_offset = scratch.offset;
      instruction.scratch_bytes = scratch.bytes;
      placed.writes.push_back({scratch.offset, scratch.offset + scratch.bytes});
    }
    if (auto* call = std::get_if<CollectiveCall>(&instruction.call)) finish(*call, placed);
    out_.steps.push_back(std::move(placed));
  }

  /// A sum is one block, whose padding between members is summed as well and never read.
  void finish(CollectiveCall& call, PlacedStep& placed) const {
    Instruction& instruction = placed.instruction;
    if (call.collective.kind != CollectiveKind::slice) instruction.stream = Stream::communicate;
    call.elements = element_count(instruction.outputs[0].type.shape);
    if (call.collective.kind != CollectiveKind::all_reduce) return;
    call.members = instruction.outputs;
    const Operand& last = instruction.outputs.back();
    const std::int64_t begin = instruction.outputs[0].offset;
    const std::int64_t end = last.offset + byte_count(last.type);
    call.elements = (end - begin) / size_of(call.dtype);
    Operand block;
    block.offset = begin;
    block.type = {call.dtype, {call.elements}};
    block.sharding.resize(mesh_.axes.size());
    instruction.inputs = {block};
    instruction.outputs = {block};
    placed.writes = {{begin, end}};
  }

  Schedule schedule_;
  const program::Mesh& mesh_;
  const Target& target_;
  const std::vector<VariableSlot>& variables_;
  const std::int64_t start_;
  std::int64_t end_ = 0;
  Storage storage_;
  std::vector<int> scratch_;  // buffer by step, or -1
  PlacedEntry out_;
};

void place_variables(const ScheduledProgram& program, PlacedProgram& out) {
  for (const ShardedVariable& variable : program.variables) {
    Operand operand;
    operand.offset = out.variable_bytes;
    operand.type = variable.local;
    operand.sharding = variable.sharding;
    out.variable_bytes += aligned(byte_count(variable.local));
    out.variables.push_back({variable.global, std::move(operand)});
  }
  out.arena_bytes = out.variable_bytes;
}

std::string megabytes(std::int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

Error too_large(const PlacedProgram& program, const PlacedEntry& entry, std::int64_t limit) {
  std::vector<Buffer> buffers = entry.buffers;
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const Buffer& a, const Buffer& b) { return a.bytes > b.bytes; });
  std::string message = "entry " + entry.name + " needs " + megabytes(program.arena_bytes) +
                        " on each device, which has " + megabytes(limit) + ": variables " +
                        megabytes(program.variable_bytes);
  for (std::size_t i = 0; i < buffers.size() && i < 3; ++i)
    message += ", " + buffers[i].label + " " + megabytes(buffers[i].bytes);
  return {ErrorCode::resource_exhausted,
          message + "; use a smaller batch, more micro-batches or more devices"};
}

}  // namespace

Result<PlacedProgram> place(const ScheduledProgram& program, const Target& target) {
  PlacedProgram out;
  out.seed = program.seed;
  out.plan = program.plan;
  place_variables(program, out);
  for (const Schedule& entry : program.entries) {
    EntryPlacer placer(entry, program.plan.mesh, target, out.variables, out.variable_bytes);
    auto placed = placer.run();
    if (!placed.ok()) return std::move(placed).error().in("entry " + entry.name);
    out.arena_bytes = std::max(out.arena_bytes, placer.end());
    if (out.arena_bytes > target.memory_bytes())
      return too_large(out, *placed, target.memory_bytes());
    out.entries.push_back(std::move(*placed));
  }
  return out;
}

Status verify(const PlacedProgram& program) {
  for (const PlacedEntry& entry : program.entries)
    for (std::size_t i = 0; i < entry.buffers.size(); ++i) {
      const Buffer& a = entry.buffers[i];
      const std::string place = "entry " + entry.name + ", " + a.label;
      if (a.offset % 64 != 0 || a.offset < program.variable_bytes ||
          a.offset + a.bytes > program.arena_bytes)
        return Error{ErrorCode::internal, place + ": the buffer lies outside the arena"};
      for (std::size_t j = 0; j < i; ++j) {
        const Buffer& b = entry.buffers[j];
        if (a.first <= b.last && b.first <= a.last && a.offset < b.offset + b.bytes &&
            b.offset < a.offset + a.bytes)
          return Error{ErrorCode::internal, place + ": overlaps " + b.label};
      }
    }
  return {};
}

}  // namespace penstock::compiler
