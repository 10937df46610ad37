#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/net/buffer_pool.h"
#include "base/net/coroutine.h"
#include "base/net/event_loop.h"
#include "base/net/rpc_session.h"
#include "base/net/signals.h"
#include "executor/worker/explain.h"
#include "executor/worker/sandbox.h"
#include "executor/worker/worker_server.h"

namespace penstock::executor {
namespace {

struct Arguments {
  WorkerOptions worker;
  ExplainOptions explain;
  int agent_fd = -1;
  int parent = 0;
  std::int64_t collective_deadline_ms = 30000;
  bool null_sleep = false;
};

void add_device_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--backend", arguments.worker.backend.kind, "cpu, or null (computes nothing)");
  app.add_option("--threads", arguments.worker.backend.threads, "compute threads");
  app.add_option("--memory", arguments.worker.memory_bytes, "bytes of device memory");
  app.add_option("--null-flops", arguments.worker.backend.null_flops, "null: FLOP per second");
  app.add_flag("--null-sleep", arguments.null_sleep, "null: kernels sleep for their time");
}

/// Serves the agent until it goes or asks this process to end.
Status serve(const Arguments& arguments, BackendFactory make_backend) {
  const MonotonicClock clock;
  const WallClock wall_clock;
  StderrLog log(LogLevel::warning);
  PENSTOCK_ASSIGN(const auto loop, net::EventLoop::create());
  WorkerServer::Parts parts;
  parts.loop = loop.get();
  parts.clock = &clock;
  parts.wall_clock = &wall_clock;
  parts.log = &log;
  parts.make_backend = std::move(make_backend);
  net::SignalWatcher signals(*loop, {SIGTERM, SIGINT});
  auto server = kj::heap<WorkerServer>(arguments.worker, std::move(parts));
  WorkerServer& worker = *server;
  auto pool = kj::refcounted<net::BufferPool>(64 * kMiB);
  net::RpcSession session(
      loop->low_level().wrapSocketFd(arguments.agent_fd,
                                     kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP |
                                         kj::LowLevelAsyncIoProvider::ALREADY_CLOEXEC),
      *pool, net::MessageLimits{}, 0, capnp::rpc::twoparty::Side::SERVER,
      kj::Maybe<capnp::Capability::Client>(wire::Worker::Client(kj::mv(server))));
  session.network()
      .onDisconnect()
      .exclusiveJoin(signals.next().ignoreResult())
      .wait(loop->wait_scope());
  const auto stopped = net::wait_result(
      net::with_deadline(loop->timer(), 1s, worker.stop(), "the last usage report"),
      loop->wait_scope());
  if (!stopped.ok()) log.warning("worker", stopped.error().message);
  // The lease is over: nothing that is still running matters, and the system frees the rest.
  std::fflush(nullptr);
  std::_Exit(0);
}

Status run(Arguments& arguments) {
  if (arguments.null_sleep) arguments.worker.backend.null_time = BackendChoice::NullTime::sleep;
  PENSTOCK_ASSIGN(auto make_backend, choose_backend(arguments.worker.backend));
  if (!arguments.explain.program_path.empty()) {
    arguments.explain.memory_bytes =
        arguments.worker.memory_bytes > 0 ? arguments.worker.memory_bytes : 2 * kGiB;
    return explain(arguments.explain, make_backend, std::cout);
  }
  if (arguments.worker.memory_bytes == 0) return invalid("--memory: give the device's bytes");
  arguments.worker.limits.collective_deadline =
      std::chrono::milliseconds(arguments.collective_deadline_ms);
  PENSTOCK_TRY(enter_sandbox({.parent = arguments.parent,
                              .device = arguments.worker.device,
                              .threads = arguments.worker.backend.threads,
                              .device_memory_bytes = arguments.worker.memory_bytes}));
  return serve(arguments, std::move(make_backend));
}

}  // namespace
}  // namespace penstock::executor

int main(int argc, char** argv) {
  penstock::executor::Arguments arguments;
  CLI::App app("One leased device: compiles and runs programs. Started by penstock-agent.");
  add_device_options(app, arguments);
  app.add_option("--agent-fd", arguments.agent_fd, "descriptor of the socket to the agent");
  app.add_option("--parent", arguments.parent, "process id to die with");
  app.add_option("--device", arguments.worker.device, "index of the device");
  app.add_option("--listen", arguments.worker.listen_host, "host of the direct lane");
  app.add_option("--unix-dir", arguments.worker.unix_directory, "for the direct lane's socket");
  app.add_option("--trace", arguments.worker.trace_path, "file for begin and end of instructions");
  app.add_option("--collective-deadline-ms", arguments.collective_deadline_ms,
                 "how long ranks wait for each other");
  auto* explain = app.add_subcommand("explain", "print every compile stage of a program");
  add_device_options(*explain, arguments);
  explain->add_option("--program", arguments.explain.program_path, "program text")->required();
  explain->add_option("--plan", arguments.explain.plan_path, "plan text")->required();
  explain->add_option("--off", arguments.explain.off, "stages to leave out");
  explain->add_option("--stage", arguments.explain.stage, "print this stage only");
  app.require_subcommand(0, 1);
  CLI11_PARSE(app, argc, argv);
  const penstock::Status status = penstock::executor::run(arguments);
  if (status.ok()) return 0;
  std::cerr << "penstock-worker: " << status.error().message << "\n";
  return status.error().code == penstock::ErrorCode::invalid_argument ? 2 : 1;
}
