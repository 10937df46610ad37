#pragma once

#include <kj/async.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "executor/worker/rank_programs.h"

namespace penstock::executor {

/// What all ranks made of one command.
struct CommandOutcome {
  std::optional<Error> error;
  std::vector<RankResult> ranks;  // followers: completion and outputs alone
  Instant started;                // on the leader's compute thread
  Instant finished;
};

/// The commands that ranks have not all answered yet: where the leader's threads meet.
/// Threads: any
class OpenCommands {
 public:
  using Fulfiller = kj::Own<kj::CrossThreadPromiseFulfiller<CommandOutcome>>;

  OpenCommands(std::uint32_t ranks, const Clock& clock) : ranks_(ranks), clock_(clock) {}

  void open(std::uint64_t sequence, CommandKind kind, Fulfiller fulfiller);
  /// The leader's own part.
  void own_part(std::uint64_t sequence, RankResult result);
  /// Everything for the follower has left this process.
  void sent(std::uint64_t sequence, std::uint32_t rank);
  /// A follower's completion. Returns the reason to give up on the mesh: a follower that failed in
  /// the middle of a run leaves the others waiting for it.
  std::optional<Error> answered(std::uint32_t rank, RankResult result);
  /// The mesh is broken: nothing more comes from followers.
  void fail(const Error& error);
  /// A follower that owes an answer although this rank has finished longer than `patience` ago.
  std::optional<std::uint32_t> overdue(Nanoseconds patience) const;

 private:
  struct Pending {
    CommandKind kind = CommandKind::run;
    CommandOutcome outcome;
    std::vector<bool> answered, sent;  // by rank
    Fulfiller fulfiller;
  };
  bool finished(const Pending& pending) const;
  void settle(std::unique_lock<std::mutex>& lock, std::uint64_t sequence);

  const std::uint32_t ranks_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Pending> open_;
  std::optional<Error> failure_;
};

}  // namespace penstock::executor
