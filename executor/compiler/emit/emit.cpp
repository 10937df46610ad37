#include "executor/compiler/emit/emit.h"

#include <algorithm>
#include <vector>

namespace penstock::compiler {
namespace {

bool overlap(const std::vector<ByteRange>& a, const std::vector<ByteRange>& b) {
  for (const ByteRange& x : a)
    for (const ByteRange& y : b)
      if (x.overlaps(y)) return true;
  return false;
}

/// A communication that nothing has waited for yet.
struct UnderWay {
  std::int32_t event = -1;
  const PlacedStep* step = nullptr;
};

/// Fills one segment. What the segments before it left under way is waited for where it is used.
class SegmentBuilder {
 public:
  SegmentBuilder(Segment::When when, std::int32_t& events, std::vector<UnderWay> under_way)
      : events_(events), under_way_(std::move(under_way)) {
    segment_.when = when;
  }

  void add(const PlacedStep& step) {
    Instruction instruction = step.instruction;
    if (instruction.stream == Stream::communicate)
      add_communication(step, std::move(instruction));
    else
      add_compute(step, std::move(instruction));
  }

  const std::vector<UnderWay>& under_way() const { return under_way_; }
  Segment take() && { return std::move(segment_); }

 private:
  void add_communication(const PlacedStep& step, Instruction instruction) {
    if (last_compute_ >= 0) {
      Instruction& before = segment_.instructions[static_cast<std::size_t>(last_compute_)];
      if (before.signals < 0) before.signals = events_++;
      instruction.waits.push_back(before.signals);
    }
    instruction.signals = events_++;
    under_way_.push_back({instruction.signals, &step});
    segment_.instructions.push_back(std::move(instruction));
  }

  void add_compute(const PlacedStep& step, Instruction instruction) {
    // The stream is in order, so that the last one that matters stands for those before it.
    for (std::size_t i = under_way_.size(); i-- > 0;) {
      const PlacedStep& other = *under_way_[i].step;
      if (!overlap(step.reads, other.writes) && !overlap(step.writes, other.writes) &&
          !overlap(step.writes, other.reads))
        continue;
      instruction.waits.push_back(under_way_[i].event);
      under_way_.erase(under_way_.begin(), under_way_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      break;
    }
    last_compute_ = static_cast<std::int64_t>(segment_.instructions.size());
    segment_.instructions.push_back(std::move(instruction));
  }

  std::int32_t& events_;
  Segment segment_;
  std::int64_t last_compute_ = -1;
  std::vector<UnderWay> under_way_;
};

ExecutableEntry emit_entry(const PlacedEntry& entry, const bool loops) {
  ExecutableEntry out;
  out.name = entry.name;
  out.inputs = entry.inputs;
  out.outputs = entry.outputs;
  const auto has = [&](Phase phase) {
    return std::any_of(entry.steps.begin(), entry.steps.end(),
                       [&](const PlacedStep& step) { return step.phase == phase; });
  };
  const bool in_micro = has(Phase::each);
  // Of segment `before`; micro-batches wait for their own.
  std::vector<UnderWay> under_way;
  const auto add = [&](Segment::When when, std::vector<Phase> phases) {
    SegmentBuilder builder(when, out.events, under_way);
    for (const PlacedStep& step : entry.steps)
      if (std::find(phases.begin(), phases.end(), step.phase) != phases.end()) builder.add(step);
    if (when == Segment::When::before) under_way = builder.under_way();
    out.segments.push_back(std::move(builder).take());
  };
  // Where no micro-batch has work of its own, everything runs once.
  if (!in_micro) {
    add(Segment::When::last_micro, {Phase::before, Phase::after});
    return out;
  }
  if (has(Phase::before)) add(Segment::When::before, {Phase::before});
  if (loops) add(Segment::When::each_micro, {Phase::each});
  add(Segment::When::last_micro, {Phase::each, Phase::after});
  return out;
}

}  // namespace

Executable emit(const PlacedProgram& program) {
  Executable out;
  out.seed = program.seed;
  out.plan = program.plan;
  out.variables = program.variables;
  out.arena_bytes = program.arena_bytes;
  bool loops = false;
  for (const program::MeshAxis& axis : program.plan.mesh.axes)
    loops = loops || (axis.time && axis.size > 1);
  for (const PlacedEntry& entry : program.entries) out.entries.push_back(emit_entry(entry, loops));
  return out;
}

}  // namespace penstock::compiler
