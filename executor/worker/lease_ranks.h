#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "executor/worker/communicate_thread.h"
#include "executor/worker/compute_thread.h"
#include "executor/worker/limits.h"
#include "executor/worker/open_commands.h"

namespace penstock::executor {

/// Each rank's blobs of one command. The bytes must stay until the outcome is there.
using RankInputs = std::vector<std::vector<std::span<const std::byte>>>;

/// The leader's hand on its ranks: sends commands to all of them, a few at a time, in one order for
/// all lanes.
/// Threads: the main loop's; its handlers run on the communicate thread
class LeaseRanks final : private kj::TaskSet::ErrorHandler {
 public:
  struct Options {
    std::uint32_t ranks = 1;
    WorkerLimits limits;
    const Clock* clock = nullptr;
    CommunicateThread* communicate = nullptr;  // all three outlive this object
    ComputeThread* compute = nullptr;
    RankPrograms* programs = nullptr;
  };
  LeaseRanks(Options options, kj::Timer& timer);

  /// Runs the command on every rank; commands start in the order of the calls. An empty `inputs`
  /// gives no blobs to anybody. The promise does not break: errors are in the outcome.
  kj::Promise<CommandOutcome> run(Command command, RankInputs inputs);
  /// For CommunicateThread::connect.
  CommunicateThread::Handlers handlers();
  std::uint32_t ranks() const { return options_.ranks; }

 private:
  struct Queued {
    Command command;
    RankInputs inputs;
    kj::Own<kj::PromiseFulfiller<CommandOutcome>> fulfiller;
  };
  void pump();
  void dispatch(Queued queued);
  kj::Promise<void> watch();
  void taskFailed(kj::Exception&& exception) override;

  const Options options_;
  kj::Timer& timer_;
  std::shared_ptr<OpenCommands> open_;  // shared with the other threads' callbacks
  std::deque<Queued> queue_;
  std::size_t in_flight_ = 0;
  std::uint64_t next_sequence_ = 1;
  kj::TaskSet tasks_;
};

}  // namespace penstock::executor
