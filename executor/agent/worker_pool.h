#pragma once

#include <kj/async.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/log.h"
#include "base/net/coroutine.h"
#include "base/net/event_loop.h"
#include "executor/agent/worker_process.h"

namespace penstock::executor {

/// A worker that ended while its lease was running.
struct LostWorker {
  LeaseId lease;
  Epoch epoch;
  std::uint32_t rank = 0;
  std::string reason;
};

/// One worker process per device, started ahead of the lease that will use it. A process serves one
/// lease in its life: afterwards it is ended and a fresh one takes its place.
/// Threads: the loop's
class WorkerPool final : private kj::TaskSet::ErrorHandler {
 public:
  WorkerPool(net::EventLoop& loop, const AgentOptions& options, Log& log);
  ~WorkerPool() noexcept(false) {}

  /// Whom to tell when a leased worker ends by itself.
  void on_lost(std::function<void(const LostWorker&)> lost) { lost_ = std::move(lost); }

  /// One idle worker per device, in order; waits for those that are starting. The same lease and
  /// epoch get the same workers again.
  /// Errors: invalid_argument for a device that is not here or named twice; failed_precondition for
  ///         one that another lease has; deadline_exceeded
  net::Task<std::vector<wire::Worker::Client>> prepare(LeaseId lease, Epoch epoch,
                                                       std::vector<std::uint32_t> devices);
  /// Ends every process of the lease; done when they are gone. An older epoch is ignored.
  net::Task<void> stop(LeaseId lease, Epoch epoch);
  /// Ends every leased process.
  net::Task<void> stop_all_leases();
  /// When every device has had an idle worker at the same time.
  net::Task<void> all_idle();

 private:
  struct Slot {
    std::uint32_t device = 0;
    std::shared_ptr<WorkerProcess> process;  // shared with a stop that is under way
    bool ready = false;
    LeaseId lease;  // 0: none
    Epoch epoch;
    std::uint32_t rank = 0;
    bool stopping = false;
    Nanoseconds restart_after{};
  };
  kj::Promise<void> keep_running(Slot& slot);
  net::Task<void> run_once(Slot& slot);
  void ended(Slot& slot, const std::string& reason);
  net::Task<void> stop_slots(std::vector<Slot*> slots);
  net::Task<void> until_ready(Slot& slot);
  Status claim(LeaseId lease, Epoch epoch, const std::vector<std::uint32_t>& devices);
  void taskFailed(kj::Exception&& exception) override;

  net::EventLoop& loop_;
  const AgentOptions& options_;
  Log& log_;
  std::function<void(const LostWorker&)> lost_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<kj::Own<kj::PromiseFulfiller<void>>> waiting_;  // for any slot's change
  kj::TaskSet tasks_;

  kj::Promise<void> changed();
  void tell_change();
};

}  // namespace penstock::executor
