#include <sys/stat.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "base/net/child_process.h"
#include "base/net/crypto.h"
#include "base/net/event_loop.h"
#include "base/net/signals.h"
#include "executor/agent/gateway_link.h"
#include "executor/agent/worker_pool.h"

namespace penstock::executor {
namespace {

struct Arguments {
  AgentOptions agent;
  std::string gateway;
  std::string memory = "2GiB";
  int ready_fd = -1;
  int parent = 0;
  bool verbose = false;
};

/// The worker program beside this one.
std::string beside_this_program(const std::string& name) {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (size <= 0) return name;
  const std::string self(path, static_cast<std::size_t>(size));
  return self.substr(0, self.rfind('/') + 1) + name;
}

Status make_directory(const std::string& path) {
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      return Error{ErrorCode::permission_denied,
                   "--state: cannot make " + part + ": " + std::strerror(errno)};
    if (at == std::string::npos) return {};
  }
}

Status complete(Arguments& arguments) {
  AgentOptions& agent = arguments.agent;
  PENSTOCK_ASSIGN(agent.gateway, net::parse_address(arguments.gateway));
  PENSTOCK_ASSIGN(agent.memory_bytes, parse_bytes(arguments.memory));
  if (agent.devices < 1 || agent.devices > 1024)
    return invalid("--devices: " + std::to_string(agent.devices) + "; give 1 to 1024");
  if (agent.threads < 1 || agent.threads > 1024)
    return invalid("--threads: " + std::to_string(agent.threads) + "; give 1 to 1024");
  if (agent.name.empty()) return invalid("--name: give this host a name");
  if (agent.worker_path.empty()) agent.worker_path = beside_this_program("penstock-worker");
  if (::access(agent.worker_path.c_str(), X_OK) != 0)
    return Error{ErrorCode::not_found, "--worker: cannot run " + agent.worker_path + ": " +
                                           std::strerror(errno) +
                                           "; give the path of penstock-worker"};
  if (agent.state_directory.empty()) {
    const char* home = std::getenv("HOME");
    agent.state_directory =
        std::string(home != nullptr ? home : "/tmp") + "/.local/state/penstock/" + agent.name;
  }
  return make_directory(agent.state_directory + "/lanes");
}

/// Tells whoever started this agent that it may be used.
void tell_ready(const Arguments& arguments) {
  if (arguments.ready_fd < 0) return;
  std::string name;
  for (const char c : arguments.agent.name)
    if (c >= ' ' && c != '"' && c != '\\') name += c;
  const std::string line = "{\"agent\":\"" + name +
                           "\",\"devices\":" + std::to_string(arguments.agent.devices) +
                           ",\"pid\":" + std::to_string(::getpid()) + "}\n";
  // Nobody reading it is no reason to stop.
  if (::write(arguments.ready_fd, line.data(), line.size()) < 0) return;
  ::close(arguments.ready_fd);
}

Status run(Arguments& arguments) {
  PENSTOCK_TRY(complete(arguments));
  if (arguments.parent != 0) PENSTOCK_TRY(net::die_with_parent(arguments.parent));
  StderrLog log(arguments.verbose ? LogLevel::info : LogLevel::warning);
  PENSTOCK_ASSIGN(const auto loop, net::EventLoop::create());
  net::SignalWatcher signals(*loop, {SIGTERM, SIGINT});
  const std::string seed = net::random_bytes(8);
  std::uint64_t seed_value = 0;
  std::memcpy(&seed_value, seed.data(), sizeof seed_value);
  SeededRandom random(seed_value);
  WorkerPool pool(*loop, arguments.agent, log);
  PENSTOCK_ASSIGN(const auto link, GatewayLink::create({.loop = loop.get(),
                                                        .options = &arguments.agent,
                                                        .pool = &pool,
                                                        .random = &random,
                                                        .log = &log}));
  pool.on_lost([&link](const LostWorker& lost) { link->worker_lost(lost); });
  auto ready = link->registered()
                   .then([&pool]() { return pool.all_idle().promise(); })
                   .then([&arguments]() { tell_ready(arguments); })
                   .eagerlyEvaluate([&log](kj::Exception&& e) {
                     log.error("agent", net::from_exception(e).message);
                   });
  auto ended = link->run().promise().then([](Error&& error) { return Status(std::move(error)); });
  auto stopped = signals.next().then([](int) { return Status(); });
  return ended.exclusiveJoin(kj::mv(stopped)).wait(loop->wait_scope());
}

}  // namespace
}  // namespace penstock::executor

int main(int argc, char** argv) {
  penstock::executor::Arguments arguments;
  penstock::executor::AgentOptions& agent = arguments.agent;
  CLI::App app("Offers this host's devices to a penstock gateway.");
  app.add_option("--gateway", arguments.gateway,
                 "penstock://HOST:PORT?fingerprint=... or unix:/PATH")
      ->required();
  app.add_option("--token", agent.token, "join token of the gateway; or PENSTOCK_JOIN_TOKEN")
      ->envname("PENSTOCK_JOIN_TOKEN")
      ->required();
  app.add_option("--name", agent.name, "name of this host in the pool")->required();
  app.add_option("--devices", agent.devices, "number of devices");
  app.add_option("--threads", agent.threads, "threads of each device");
  app.add_option("--memory", arguments.memory, "memory of each device, such as 2GiB");
  app.add_option("--backend", agent.backend, "cpu, or null (computes nothing)");
  app.add_option("--trace", agent.trace_path, "file for begin and end of every instruction");
  app.add_option("--state", agent.state_directory, "directory for identity and sockets");
  app.add_option("--worker", agent.worker_path, "the penstock-worker program");
  app.add_option("--worker-argument", agent.worker_arguments, "passed on to every worker")
      ->allow_extra_args(false);
  app.add_option("--listen", agent.listen_host, "host name or address of the direct lanes");
  app.add_option("--ready-fd", arguments.ready_fd, "where to write one JSON line when ready");
  app.add_option("--parent", arguments.parent, "process id to die with");
  app.add_flag("--verbose", arguments.verbose, "log what happens");
  CLI11_PARSE(app, argc, argv);
  const penstock::Status status = penstock::executor::run(arguments);
  if (status.ok()) return 0;
  std::cerr << "penstock-agent: " << status.error().message << "\n";
  return status.error().code == penstock::ErrorCode::invalid_argument ? 2 : 1;
}
