#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/event_loop.h"
#include "executor/worker/backend_choice.h"
#include "executor/worker/communicate_thread.h"
#include "executor/worker/compute_thread.h"
#include "executor/worker/direct_door.h"
#include "executor/worker/leader_server.h"
#include "executor/worker/lease_ranks.h"
#include "executor/worker/rank_programs.h"
#include "executor/worker/usage_reporter.h"
#include "schema/wire/executor.capnp.h"

namespace penstock::executor {

struct WorkerOptions {
  int device = 0;
  std::uint64_t memory_bytes = 0;
  BackendChoice backend;
  WorkerLimits limits;
  std::string listen_host;     // of the direct lane; "": all addresses
  std::string unix_directory;  // of its Unix socket; "": none
  std::string trace_path;      // "": no trace
};

/// One worker process as its agent sees it: takes one assignment in its life, connects to the other
/// ranks, and on rank 0 serves the lease's client.
/// Threads: the loop's
class WorkerServer final : public wire::Worker::Server {
 public:
  struct Parts {
    net::EventLoop* loop = nullptr;
    const Clock* clock = nullptr;
    const Clock* wall_clock = nullptr;
    Log* log = nullptr;
    BackendFactory make_backend;
  };
  WorkerServer(WorkerOptions options, Parts parts);
  ~WorkerServer() noexcept(false);

  kj::Promise<void> assign(AssignContext context) override;
  kj::Promise<void> connect(ConnectContext context) override;
  kj::Promise<void> serve(ServeContext context) override;

  /// Closes the direct lane; done when all usage has been reported. Before the process ends.
  kj::Promise<void> stop();

 private:
  enum class State { idle, assigned, connected, serving };
  Status take(wire::Assignment::Reader assignment);
  Status expect(State state, const char* method) const;
  Status open_trace();
  void make_programs();
  void make_leader();

  const WorkerOptions options_;
  Parts parts_;
  State state_ = State::idle;
  RankIdentity identity_;
  Prices prices_;
  net::PublicKey ticket_key_;
  ExecutorId executor_;  // this worker's, as the gateway numbers it
  kj::Maybe<wire::UsageSink::Client> sink_;
  std::shared_ptr<BufferPool> pool_;  // shared: buffers outlive the parts that took them

  std::unique_ptr<TraceFile> trace_;  // may be null

  // In the order of their use of each other: destroyed from the last to the first.
  std::unique_ptr<UsageReporter> usage_;
  std::unique_ptr<RankPrograms> programs_;
  std::unique_ptr<CommunicateThread> communicate_;
  std::unique_ptr<ComputeThread> compute_;
  std::unique_ptr<LeaseRanks> ranks_;
  kj::Maybe<wire::Leader::Client> leader_;
  kj::Maybe<kj::Own<DirectDoor>> door_;
};

}  // namespace penstock::executor
