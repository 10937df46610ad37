#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "executor/collectives/communicator.h"
#include "executor/runtime/runner.h"
#include "executor/worker/buffer_pool.h"

namespace penstock::executor {

/// The communicate stream of a worker: the compute thread starts collectives and waits for their
/// events, the communicate thread runs them over a Communicator. At most one call runs at a time.
class CollectiveQueue final : public runtime::CollectiveStream {
 public:
  struct Options {
    const Clock* clock = nullptr;
    Nanoseconds deadline{};      // of one collective
    std::function<void()> wake;  // ends the communicate thread's sleep; any thread
    std::shared_ptr<BufferPool> pool;
  };
  explicit CollectiveQueue(Options options) : options_(std::move(options)) {}

  // The compute thread's side. `reset` waits until nothing is in flight any more, so that a call
  // that failed half-way leaves no collective behind that writes into memory.
  void start(const compiler::CollectiveCall& call, std::span<std::byte> input,
             std::span<std::byte> output, std::int32_t event, const std::string& label) override;
  Status wait(std::int32_t event) override;
  void reset(std::int32_t events) override;

  // The communicate thread's side.
  /// Starts what is asked for and looks after what runs. True when something changed.
  bool poll(collectives::Communicator& communicator);
  /// From now on every collective ends with this error.
  void fail(const Error& error);
  /// Label of the collective with this tag, for traces.
  std::string label_of(std::uint32_t tag) const;

 private:
  struct Request {
    const compiler::CollectiveCall* call = nullptr;
    std::span<std::byte> input, output;
    std::int32_t event = -1;
    std::string label;
  };
  struct Running {
    Request request;
    std::uint32_t tag = 0;
    std::optional<Buffer> whole;  // where a collective cannot work in place
    std::unique_ptr<collectives::Operation> operation;
    std::function<void(Running&)> finish;  // copies out of `whole`
  };

  Status launch(collectives::Communicator& communicator, Request request);
  Result<std::unique_ptr<collectives::Operation>> start_operation(
      collectives::Communicator& communicator, Running& running);
  void settle(std::int32_t event, Status status);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  std::vector<std::optional<Status>> events_;
  std::uint64_t outstanding_ = 0;  // collectives that have begun and not ended
  std::optional<Error> failure_;

  std::vector<Running> running_;  // the communicate thread's own
  std::uint32_t next_tag_ = 0;
};

}  // namespace penstock::executor
