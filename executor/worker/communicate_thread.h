#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "executor/collectives/communicator.h"
#include "executor/collectives/transport.h"
#include "executor/worker/collective_queue.h"
#include "executor/worker/limits.h"
#include "executor/worker/rank_message.h"
#include "executor/worker/trace_file.h"

namespace penstock::collectives {
class UcxTransport;
}

namespace penstock::executor {

/// Who this worker is in its lease.
struct RankIdentity {
  LeaseId lease;
  Epoch epoch;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
};

/// The thread that owns a worker's transport: it runs the collectives of the compute thread and
/// carries the messages between leader and followers.
/// Threads: any, unless said otherwise
class CommunicateThread final {
 public:
  struct Options {
    const Clock* clock = nullptr;
    WorkerLimits limits;
    std::shared_ptr<BufferPool> pool;
    TraceFile* trace = nullptr;  // may be null
  };
  /// What is called on the communicate thread.
  struct Handlers {
    /// Followers: a command of the leader's. The leader: a follower's completion.
    std::function<void(std::uint32_t from, IncomingMessage)> received;
    /// Once: the mesh is of no use any more.
    std::function<void(const Error&)> failed;
  };

  explicit CommunicateThread(Options options);
  CommunicateThread(const CommunicateThread&) = delete;
  CommunicateThread& operator=(const CommunicateThread&) = delete;
  ~CommunicateThread();

  /// Opens UCX for this rank and tells its address. `done` is called on the communicate thread.
  void open(RankIdentity identity, std::function<void(Result<std::string>)> done);
  /// Connects to every rank; then messages and collectives flow.
  void connect(std::vector<std::string> addresses, Handlers handlers,
               std::function<void(Status)> done);
  /// Uses a transport that is connected already, which must outlive this object. For tests.
  void adopt(collectives::Transport& transport, Handlers handlers);

  /// Sends to a peer, in order. After a failure it is dropped.
  void send(std::uint32_t peer, OutgoingMessage message);
  /// A supervisor's, or another rank's, word that a rank is of no use any more.
  void mark_failed(std::uint32_t rank, std::string reason);
  /// Null for a single rank, which needs none.
  CollectiveQueue& collectives() { return collectives_; }

 private:
  struct Link;  // sender and receiver of one peer
  void post(std::function<void()> task);
  void wake();
  void run();
  void run_tasks();
  Result<bool> step();
  Status start_mesh(collectives::Transport& transport, Handlers handlers);
  void fail(const Error& error);

  const Options options_;
  CollectiveQueue collectives_;

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  collectives::Transport* awake_ = nullptr;  // what `wake` must wake

  // The communicate thread's own.
  std::unique_ptr<collectives::UcxTransport> ucx_;
  collectives::Transport* transport_ = nullptr;
  std::unique_ptr<collectives::Communicator> communicator_;
  std::vector<std::unique_ptr<Link>> links_;
  Handlers handlers_;
  std::optional<Error> failure_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace penstock::executor
