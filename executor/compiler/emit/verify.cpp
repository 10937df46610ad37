#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "executor/compiler/emit/emit.h"
#include "executor/compiler/local_type.h"
#include "executor/compiler/place/placed_program.h"

namespace penstock::compiler {
namespace {

/// Which bytes of the arena hold something.
class Written {
 public:
  void add(ByteRange range) {
    auto at = ranges_.upper_bound(range.begin);
    if (at != ranges_.begin() && std::prev(at)->second >= range.begin) --at;
    while (at != ranges_.end() && at->first <= range.end) {
      range.begin = std::min(range.begin, at->first);
      range.end = std::max(range.end, at->second);
      at = ranges_.erase(at);
    }
    ranges_[range.begin] = range.end;
  }

  bool covers(const ByteRange& range) const {
    if (range.begin >= range.end) return true;
    auto at = ranges_.upper_bound(range.begin);
    return at != ranges_.begin() && std::prev(at)->second >= range.end;
  }

 private:
  std::map<std::int64_t, std::int64_t> ranges_;
};

/// A micro-batch's bytes move with the micro-batch; its first is checked for all.
ByteRange range_of(const Operand& operand) {
  return {operand.offset, operand.offset + byte_count(operand.type)};
}

bool touches(const Operand& operand, const std::vector<ByteRange>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const ByteRange& range) { return range.overlaps(range_of(operand)); });
}

class Replay {
 public:
  Replay(const Executable& executable, const ExecutableEntry& entry)
      : executable_(executable), signalled_(static_cast<std::size_t>(entry.events), false) {
    for (const VariableSlot& variable : executable.variables)
      written_.add(range_of(variable.operand));
    for (const Port& input : entry.inputs) {
      ByteRange range = range_of(input.operand);
      if (input.operand.per_micro)
        range.end = range.begin + byte_count(device_type(input.global, input.operand.sharding,
                                                         executable.plan.mesh));
      written_.add(range);
    }
  }

  Status step(const Instruction& instruction) {
    for (const std::int32_t event : instruction.waits) {
      if (event < 0 || static_cast<std::size_t>(event) >= signalled_.size() ||
          !signalled_[static_cast<std::size_t>(event)])
        return broken(instruction, "waits for an event that nothing before it signals");
      if (instruction.stream == Stream::compute) finish(event);
    }
    for (const auto* operands : {&instruction.inputs, &instruction.outputs})
      for (const Operand& operand : *operands) PENSTOCK_TRY(check_range(instruction, operand));
    for (const Operand& input : instruction.inputs)
      if (!covered(instruction, input)) return broken(instruction, "reads what nothing wrote");
    if (instruction.stream == Stream::compute) PENSTOCK_TRY(check_under_way(instruction));
    for (const Operand& output : instruction.outputs) written_.add(range_of(output));
    if (instruction.stream == Stream::communicate) PENSTOCK_TRY(start(instruction));
    if (instruction.signals >= 0) {
      if (static_cast<std::size_t>(instruction.signals) >= signalled_.size())
        return broken(instruction, "signals an event past the entry's");
      signalled_[static_cast<std::size_t>(instruction.signals)] = true;
    }
    dirty_ = instruction.stream == Stream::compute;
    if (dirty_) last_signal_ = instruction.signals;
    return {};
  }

  bool covered(const Port& output) const { return written_.covers(range_of(output.operand)); }

 private:
  struct UnderWay {
    std::int32_t event;
    std::vector<ByteRange> reads, writes;
  };

  static Error broken(const Instruction& instruction, const std::string& what) {
    return {ErrorCode::internal, instruction.label + ": " + what};
  }

  Status check_range(const Instruction& instruction, const Operand& operand) const {
    const ByteRange range = range_of(operand);
    if (range.begin < 0 || range.begin % 64 != 0 || range.end > executable_.arena_bytes)
      return broken(instruction, "an operand lies outside the arena");
    return {};
  }

  /// The members of a sum have been written one by one; the padding between them has not.
  bool covered(const Instruction& instruction, const Operand& input) const {
    const auto* call = std::get_if<CollectiveCall>(&instruction.call);
    if (call == nullptr || call->members.empty()) return written_.covers(range_of(input));
    return std::all_of(call->members.begin(), call->members.end(),
                       [&](const Operand& member) { return written_.covers(range_of(member)); });
  }

  void finish(std::int32_t event) {
    const auto at = std::find_if(under_way_.begin(), under_way_.end(),
                                 [&](const UnderWay& u) { return u.event == event; });
    if (at != under_way_.end()) under_way_.erase(under_way_.begin(), at + 1);
  }

  Status check_under_way(const Instruction& instruction) const {
    for (const UnderWay& other : under_way_) {
      for (const Operand& input : instruction.inputs)
        if (touches(input, other.writes))
          return broken(instruction, "reads a block that is being communicated");
      for (const Operand& output : instruction.outputs)
        if (touches(output, other.writes) || touches(output, other.reads))
          return broken(instruction, "writes a block that is being communicated");
    }
    return {};
  }

  Status start(const Instruction& instruction) {
    if (instruction.signals < 0) return broken(instruction, "a communication signals no event");
    // Everything before it on the compute stream must be done: it waits for the last of that.
    if (dirty_ && std::find(instruction.waits.begin(), instruction.waits.end(), last_signal_) ==
                      instruction.waits.end())
      return broken(instruction, "starts without waiting for the instruction before it");
    UnderWay made{instruction.signals, {}, {}};
    for (const Operand& input : instruction.inputs) made.reads.push_back(range_of(input));
    for (const Operand& output : instruction.outputs) made.writes.push_back(range_of(output));
    under_way_.push_back(std::move(made));
    return {};
  }

  const Executable& executable_;
  Written written_;
  std::vector<bool> signalled_;
  std::vector<UnderWay> under_way_;
  bool dirty_ = false;  // the last instruction was on the compute stream
  std::int32_t last_signal_ = -1;
};

Status check_entry(const Executable& executable, const ExecutableEntry& entry) {
  Replay replay(executable, entry);
  for (const Segment& segment : entry.segments)
    for (const Instruction& instruction : segment.instructions)
      PENSTOCK_TRY(replay.step(instruction));
  for (const Port& output : entry.outputs)
    if (!replay.covered(output))
      return Error{ErrorCode::internal, "output " + output.name + ": nothing writes it"};
  return {};
}

}  // namespace

Status verify(const Executable& executable) {
  for (const ExecutableEntry& entry : executable.entries)
    if (Status status = check_entry(executable, entry); !status.ok())
      return std::move(status).error().in("entry " + entry.name);
  return {};
}

}  // namespace penstock::compiler
