#include "executor/runtime/call_walk.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "base/check.h"
#include "executor/compiler/index.h"

namespace penstock::runtime {
namespace {

using compiler::at;

using compiler::CollectiveCall;
using compiler::CollectiveKind;
using compiler::Instruction;
using compiler::Operand;
using compiler::Segment;

/// Whether every result is empty: a slice of zero rows, for which there is nothing to compute.
bool is_empty(const std::vector<TensorView>& views) {
  return std::all_of(views.begin(), views.end(),
                     [](const TensorView& view) { return view.elements() == 0; });
}

/// Copies rows [begin, ..) of dimension `dim` of a dense tensor into a dense one.
void copy_rows(const TensorView& from, const TensorView& to, int dim, std::int64_t begin) {
  std::int64_t outer = 1, inner = program::size_of(from.dtype);
  for (int i = 0; i < dim; ++i) outer *= from.extents[at(i)];
  for (int i = dim + 1; i < from.rank; ++i) inner *= from.extents[at(i)];
  const std::int64_t from_bytes = from.extents[at(dim)] * inner;
  const std::int64_t to_bytes = to.extents[at(dim)] * inner;
  if (to_bytes == 0) return;
  for (std::int64_t o = 0; o < outer; ++o) {
    std::memmove(to.data + o * to_bytes, from.data + o * from_bytes + begin * inner, at(to_bytes));
  }
}

}  // namespace

CallWalk::CallWalk(CallSetup setup) : setup_(setup) {
  const program::Mesh& mesh = setup_.executable.plan.mesh;
  position_ = position_of(mesh, setup_.rank);
  micros_ = micro_count(mesh);
  events_.resize(at(setup_.entry.events));
}

Result<CallTimes> CallWalk::run() {
  const Instant begin = setup_.clock.now();
  if (setup_.collectives != nullptr) {
    setup_.collectives->reset(static_cast<std::int32_t>(micros_ * setup_.entry.events));
  }
  Status status = run_all();
  // Nothing of this call may still write into the arena when it has ended, well or badly.
  Status drained = wait_for_all();
  PENSTOCK_TRY(std::move(status));
  PENSTOCK_TRY(std::move(drained));
  times_.total = setup_.clock.now() - begin;
  return times_;
}

Status CallWalk::run_all() {
  PENSTOCK_TRY(run_segments(Segment::When::before));
  for (micro_ = 0; micro_ + 1 < micros_; ++micro_) {
    position_ = at_micro(setup_.executable.plan.mesh, std::move(position_), micro_);
    PENSTOCK_TRY(run_segments(Segment::When::each_micro));
  }
  position_ = at_micro(setup_.executable.plan.mesh, std::move(position_), micro_);
  return run_segments(Segment::When::last_micro);
}

Status CallWalk::run_segments(Segment::When when) {
  for (const Segment& segment : setup_.entry.segments) {
    if (segment.when != when) continue;
    for (const Instruction& instruction : segment.instructions) {
      Status status = run_instruction(instruction);
      if (!status.ok()) return std::move(status).error().in(place(instruction));
    }
  }
  return {};
}

Status CallWalk::run_instruction(const Instruction& instruction) {
  const auto* collective = std::get_if<CollectiveCall>(&instruction.call);
  const bool communicates =
      collective != nullptr && instruction.stream == compiler::Stream::communicate;
  for (std::int32_t event : instruction.waits) {
    // The communicate stream keeps its own order.
    if (communicates && events_[at(event)].state == Event::State::running) continue;
    PENSTOCK_TRY(wait_for(event));
  }
  resolve(instruction);
  if (communicates) return start_collective(instruction, *collective);

  const Instant begin = setup_.clock.now();
  if (collective != nullptr && collective->collective.kind == CollectiveKind::slice) {
    PENSTOCK_TRY(copy_slice(instruction, *collective));
  } else if (collective != nullptr) {
    return Error{ErrorCode::internal, "a collective is on the compute stream"};
  } else if (std::holds_alternative<compiler::AccumulateCall>(instruction.call)) {
    PENSTOCK_TRY(accumulate(instruction));
  } else {
    PENSTOCK_TRY(run_compute(instruction));
  }
  const Instant end = setup_.clock.now();
  times_.compute += end - begin;
  stamp(instruction, micro_, begin, end);
  if (instruction.signals >= 0) events_[at(instruction.signals)].state = Event::State::happened;
  return {};
}

Status CallWalk::run_compute(const Instruction& instruction) {
  if (is_empty(outputs_)) return {};
  Launch launch;
  launch.instruction = &instruction;
  launch.inputs = inputs_;
  launch.outputs = outputs_;
  launch.scratch = {setup_.backend.arena() + instruction.scratch_offset,
                    at(instruction.scratch_bytes)};
  launch.batch_size = setup_.options.batch_size;
  return setup_.backend.launch(launch);
}

Status CallWalk::accumulate(const Instruction& instruction) {
  if (is_empty(outputs_)) return {};
  // The first micro-batch overwrites, so that nothing has to be cleared before.
  const bool first = micro_ == 0;
  Instruction kernel;
  kernel.call =
      compiler::KernelCall{first ? program::Kernel::copy_plain : program::Kernel::map_add, {}};
  kernel.label = instruction.label;
  kernel.outputs = instruction.outputs;
  kernel.inputs = instruction.inputs;
  std::vector<TensorView> operands = {inputs_[0]};
  if (!first) {
    kernel.inputs.insert(kernel.inputs.begin(), instruction.outputs[0]);
    operands.insert(operands.begin(), outputs_[0]);
  }
  Launch launch;
  launch.instruction = &kernel;
  launch.inputs = operands;
  launch.outputs = outputs_;
  launch.batch_size = setup_.options.batch_size;
  return setup_.backend.launch(launch);
}

Status CallWalk::start_collective(const Instruction& instruction, const CollectiveCall& call) {
  std::span<std::byte> input = inputs_[0].bytes();
  std::span<std::byte> output = outputs_[0].bytes();
  if (!call.members.empty()) {  // a bucket: one block, all_reduced where it lies
    output = {outputs_[0].data, at(call.elements * program::size_of(call.dtype))};
    input = {inputs_[0].data, output.size()};
  }
  Event& event = events_[at(instruction.signals)];
  event.state = Event::State::running;
  event.number = static_cast<std::int32_t>(micro_ * setup_.entry.events) + instruction.signals;
  event.instruction = &instruction;
  event.micro = micro_;
  event.begin = setup_.clock.now();
  setup_.collectives->start(call, input, output, event.number, instruction.label);
  return {};
}

Status CallWalk::copy_slice(const Instruction&, const CollectiveCall& call) {
  const int axis = call.collective.axis, dim = call.collective.dim;
  const TensorView &from = inputs_[0], &to = outputs_[0];
  const program::MeshAxis& cut = setup_.executable.plan.mesh.axes[at(axis)];
  const program::Range part =
      program::part_of(from.extents[at(dim)], position_.coordinates[at(axis)], cut.size);
  if (part.size() != to.extents[at(dim)]) {
    return Error{ErrorCode::internal, "slice: the result has " +
                                          std::to_string(to.extents[at(dim)]) +
                                          " rows, its part is " + std::to_string(part.size()) +
                                          " of " + std::to_string(from.extents[at(dim)])};
  }
  copy_rows(from, to, dim, part.begin);
  return {};
}

Status CallWalk::wait_for(std::int32_t index) {
  Event& event = events_[at(index)];
  if (event.state == Event::State::happened) return {};
  if (event.state == Event::State::pending) {
    return Error{ErrorCode::internal,
                 "waits for event " + std::to_string(index) + ", which nothing has signalled"};
  }
  const Instant begin = setup_.clock.now();
  Status status = setup_.collectives->wait(event.number);
  const Instant end = setup_.clock.now();
  times_.communication += end - begin;
  event.state = Event::State::happened;
  if (!status.ok()) {
    return std::move(status).error().in("waiting for '" + event.instruction->label + "'");
  }
  const Span span = setup_.collectives->ran(event.number).value_or(Span{event.begin, end});
  stamp(*event.instruction, event.micro, span.begin, span.end);
  return {};
}

Status CallWalk::wait_for_all() {
  Status first;
  for (std::size_t event = 0; event < events_.size(); ++event) {
    if (events_[event].state != Event::State::running) continue;
    Status status = wait_for(static_cast<std::int32_t>(event));
    if (!status.ok() && first.ok()) {
      first = std::move(status).error().in(place(*events_[event].instruction));
    }
  }
  return first;
}

void CallWalk::resolve(const Instruction& instruction) {
  std::byte* const arena = setup_.backend.arena();
  const Moment now = moment();
  outputs_.clear();
  for (const Operand& operand : instruction.outputs) {
    outputs_.push_back(view_of(operand, now, arena));
  }
  inputs_.clear();
  for (const Operand& operand : instruction.inputs) {
    inputs_.push_back(broadcast_view(view_of(operand, now, arena), operand, outputs_[0]));
  }
}

void CallWalk::stamp(const Instruction& instruction, std::int64_t micro, Instant begin,
                     Instant end) const {
  if (setup_.options.observe) setup_.options.observe({&instruction, micro, begin, end});
}

Moment CallWalk::moment() const {
  return {setup_.executable.plan.mesh, position_, setup_.options.batch_size};
}

std::string CallWalk::place(const Instruction& instruction) const {
  return "rank " + std::to_string(setup_.rank) + ", " + setup_.entry.name + ", " +
         instruction.label;
}

}  // namespace penstock::runtime
