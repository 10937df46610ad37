#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/runtime/extents.h"
#include "executor/runtime/runner.h"

namespace penstock::runtime {

/// What one call of one entry needs; all of it outlives the walk.
struct CallSetup {
  const compiler::Executable& executable;
  const compiler::ExecutableEntry& entry;
  Backend& backend;
  CollectiveStream* collectives;  // may be null where no collective is called
  const Clock& clock;
  std::int64_t rank = 0;
  const RunOptions& options;
};

/// One call: before, each_micro for all micro-batches but the last, last_micro. Kernels run on the
/// calling thread; collectives are started in order and waited for where an instruction says so.
///
/// An event number of the entry happens once per micro-batch, so the stream gets numbers of its
/// own: micro * entry.events + event.
class CallWalk {
 public:
  explicit CallWalk(CallSetup setup);
  Result<CallTimes> run();

 private:
  /// What is known of an event of the entry.
  struct Event {
    enum class State : std::uint8_t { pending, running, happened };
    State state = State::pending;
    std::int32_t number = 0;  // in the collective stream
    const compiler::Instruction* instruction = nullptr;
    std::int64_t micro = 0;
    Instant begin;
  };

  Status run_all();
  Status run_segments(compiler::Segment::When when);
  Status run_instruction(const compiler::Instruction& instruction);
  Status run_compute(const compiler::Instruction& instruction);
  Status accumulate(const compiler::Instruction& instruction);
  Status start_collective(const compiler::Instruction& instruction,
                          const compiler::CollectiveCall& call);
  Status copy_slice(const compiler::Instruction& instruction, const compiler::CollectiveCall& call);
  Status wait_for(std::int32_t event);
  Status wait_for_all();
  void resolve(const compiler::Instruction& instruction);
  void stamp(const compiler::Instruction& instruction, std::int64_t micro, Instant begin,
             Instant end) const;
  Moment moment() const;
  std::string place(const compiler::Instruction& instruction) const;

  CallSetup setup_;
  Position position_;
  std::int64_t micros_ = 1, micro_ = 0;
  std::vector<Event> events_;
  std::vector<TensorView> inputs_, outputs_;  // of the current instruction
  CallTimes times_;
};

}  // namespace penstock::runtime
