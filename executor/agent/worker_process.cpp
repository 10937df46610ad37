#include "executor/agent/worker_process.h"

#include <kj/io.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/net/coroutine.h"

namespace penstock::executor {

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(net::EventLoop& loop,
                                                            const AgentOptions& options,
                                                            std::uint32_t device) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error{ErrorCode::resource_exhausted,
                 std::string("a socket pair for a worker: ") + std::strerror(errno)};
  kj::AutoCloseFd ours(ends[0]);
  const kj::AutoCloseFd childs(ends[1]);
  net::ChildOptions child;
  child.arguments = worker_command(options, device);
  // OpenMP reads these when it is loaded, before the worker's main could say anything.
  child.environment = {{"OMP_NUM_THREADS", std::to_string(options.threads)},
                       {"OMP_WAIT_POLICY", "passive"},
                       {"OPENBLAS_NUM_THREADS", std::to_string(options.threads)}};
  child.descriptors.push_back({.ours = childs.get(), .childs = kWorkerAgentFd});
  PENSTOCK_ASSIGN(auto process, net::ChildProcess::spawn(loop, child));
  auto stream = loop.low_level().wrapSocketFd(
      ours.release(),
      kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP | kj::LowLevelAsyncIoProvider::ALREADY_CLOEXEC);
  auto connection = net::RpcConnection::over(kj::mv(stream), net::RpcClientOptions{});
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(std::move(process), kj::mv(connection)));
}

void WorkerProcess::kill_now() {
  process_->kill(SIGKILL);
}

kj::Promise<void> WorkerProcess::stop(kj::Timer& timer, Nanoseconds grace) {
  process_->kill(SIGTERM);
  auto killed = timer.afterDelay(net::to_duration(grace)).then([this]() {
    process_->kill(SIGKILL);
    return exited().ignoreResult();
  });
  return exited().ignoreResult().exclusiveJoin(kj::mv(killed));
}

}  // namespace penstock::executor
