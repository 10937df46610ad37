#pragma once

#include <kj/async.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/net/coroutine.h"
#include "executor/worker/lease_ranks.h"
#include "executor/worker/reply_cache.h"

namespace penstock::executor {

/// What a numbered call that repeats an entry wants beside the call itself.
struct RepeatRequest {
  std::uint64_t most = 1;
  /// A bool output of the entry, the same on every rank; after the run in which all its elements
  /// are true no other follows. Empty: all `most` runs happen.
  std::string until;
  /// Takes the reply of each run, in order, as soon as it is there. A failed promise means that
  /// nobody listens any more: no further run is started.
  std::function<kj::Promise<void>(ReplyPtr)> deliver;
};

/// How one repetition runs.
struct RepetitionParts {
  LeaseRanks* ranks = nullptr;  // outlives the repetition
  Command command;              // of every run; names the repetition and its `until`
  RankInputs inputs;            // of every run; must stay until the task is done
  std::uint64_t most = 1;
  std::function<kj::Promise<void>(ReplyPtr)> deliver;
  std::function<Result<ReplyPtr>(CommandOutcome)> finish;
};

/// Runs an entry again and again. Some runs are on their way to the ranks ahead of time, so that no
/// device waits for this process between two of them; each rank leaves out those that come after
/// the run that ended the repetition.
/// Returns: the runs' replies, in order
/// Errors: those of `finish`, after everything under way has ended
net::Task<std::vector<ReplyPtr>> repeat(RepetitionParts parts);

/// The reply of the whole call: the last run's outputs, and the sums of times and usage.
ReplyPtr sum_of(const std::vector<ReplyPtr>& runs, std::uint64_t number, std::uint64_t bytes_max);

}  // namespace penstock::executor
