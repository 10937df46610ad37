#pragma once

#include <kj/async.h>

#include <memory>
#include <string>

#include "base/net/child_process.h"
#include "base/net/event_loop.h"
#include "base/net/rpc_client.h"
#include "executor/agent/agent_options.h"
#include "schema/wire/executor.capnp.h"

namespace penstock::executor {

/// One worker process and the connection to it. It never outlives this object.
/// Threads: the loop's
class WorkerProcess final {
 public:
  /// Errors: not_found or permission_denied if the program cannot be run
  static Result<std::unique_ptr<WorkerProcess>> start(net::EventLoop& loop,
                                                      const AgentOptions& options,
                                                      std::uint32_t device);

  wire::Worker::Client worker() { return worker_; }
  /// When the process answers.
  kj::Promise<void> ready() { return worker_.whenResolved(); }
  kj::Promise<net::ExitStatus> exited() { return process_->exited(); }
  /// SIGTERM, and SIGKILL after `grace`; done when the process is gone.
  kj::Promise<void> stop(kj::Timer& timer, Nanoseconds grace);
  void kill_now();
  pid_t pid() const { return process_->pid(); }

 private:
  WorkerProcess(std::unique_ptr<net::ChildProcess> process, kj::Own<net::RpcConnection> connection)
      : process_(std::move(process)),
        connection_(kj::mv(connection)),
        worker_(connection_->bootstrap().castAs<wire::Worker>()) {}

  std::unique_ptr<net::ChildProcess> process_;
  kj::Own<net::RpcConnection> connection_;
  wire::Worker::Client worker_;
};

}  // namespace penstock::executor
