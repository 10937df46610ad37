#pragma once

#include <kj/async.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "executor/worker/batch.h"
#include "executor/worker/lease_ranks.h"
#include "executor/worker/limits.h"
#include "executor/worker/pricing.h"
#include "executor/worker/repetition.h"
#include "executor/worker/reply_cache.h"

namespace penstock::executor {

/// The inputs of one call as they came, and who keeps them.
struct CallInputs {
  GivenBatch batch;
  std::vector<std::shared_ptr<const void>> keep;
};

/// What one numbered call wants.
struct CallRequest {
  std::uint64_t number = 0;
  CommandKind kind = CommandKind::run;
  std::string name;  // the entry or the variable
  /// Reads the call's inputs; asked once, when the call is admitted.
  std::function<Result<CallInputs>()> inputs;
  /// For a run that is to be repeated.
  std::optional<RepeatRequest> repeat = {};
};

/// An ordered sequence of numbered calls of one program. Every number runs once: a repeated one is
/// answered from memory, a gap is refused, and after an error every later call fails with it.
/// Threads: the loop's
class Lane final : private kj::TaskSet::ErrorHandler {
 public:
  struct Options {
    std::uint64_t number = 0;
    LaneLimits limits;
    std::shared_ptr<const compiler::Executable> executable;  // shared: immutable
    LeaseRanks* ranks = nullptr;                             // outlives the lane
    const Clock* clock = nullptr;
    std::shared_ptr<BufferPool> pool;
    Prices prices;
    std::function<void(const wire::CallUsage&)> report;
  };
  explicit Lane(Options options);

  /// The inputs' bytes must stay until the promise is done, which it is even if it is dropped.
  kj::Promise<ReplyPtr> call(CallRequest request);

  const compiler::Executable& executable() const { return *options_.executable; }
  const Options& options() const { return options_; }

 private:
  struct Prepared {
    Command command;
    RankInputs inputs;
    std::vector<std::shared_ptr<const void>> keep;
    std::uint64_t bytes_in = 0;
    std::uint64_t unbilled_bytes = 0;  // what the first reply is charged for
    Instant arrived;
  };
  std::string place(const CallRequest& request) const;
  kj::Promise<ReplyPtr> repeated(const CallRequest& request);
  Status admit(const CallRequest& request) const;
  Result<Prepared> prepare(const CallRequest& request) const;
  Result<Prepared> prepare_run(const CallRequest& request) const;
  Status check_repeat(const compiler::ExecutableEntry& entry, const RepeatRequest& repeat) const;
  Result<Prepared> prepare_write(const CallRequest& request) const;
  Status cut_for_ranks(const GivenTensor& given, const program::Sharding& sharding,
                       Prepared& prepared) const;
  kj::Promise<ReplyPtr> start(const CallRequest& request, Prepared prepared);
  kj::Promise<ReplyPtr> in_turn(const CallRequest& request, std::shared_ptr<Prepared> prepared);
  kj::Promise<ReplyPtr> execute(const CallRequest& request, std::shared_ptr<Prepared> prepared);
  kj::Promise<ReplyPtr> execute_repeat(const CallRequest& request,
                                       std::shared_ptr<Prepared> prepared);
  void end_repetition();
  Result<ReplyPtr> finish(const CallRequest& request, Prepared& prepared, CommandOutcome outcome);
  Result<OutputTensor> assemble(const std::string& name, const program::TensorType& whole,
                                const program::Sharding& sharding, CommandOutcome& outcome,
                                std::vector<std::size_t>& taken) const;
  Error stick(std::uint64_t number, Error error);
  void taskFailed(kj::Exception&& exception) override;

  const Options options_;
  std::uint64_t next_ = 1;
  std::uint64_t steps_ = 0;
  std::uint64_t queued_bytes_ = 0;
  std::map<std::uint64_t, kj::ForkedPromise<ReplyPtr>> running_;
  ReplyCache replies_;
  std::optional<Error> sticky_;
  std::uint64_t sticky_from_ = 0;  // the first call that fails with it
  /// While an entry is repeated the calls behind it wait here, in order.
  bool repeating_ = false;
  std::deque<std::function<void()>> waiting_;
  kj::TaskSet tasks_;
};

}  // namespace penstock::executor
