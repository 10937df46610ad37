#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/child_process.h"
#include "base/net/event_loop.h"
#include "base/net/rpc_error.h"
#include "base/net/signals.h"
#include "gateway/edge/service.h"

using namespace penstock;

namespace {

struct Arguments {
  gateway::ServiceOptions service;
  int ready_fd = -1;
  int parent = 0;
  bool verbose = false;
};

void write_line(int fd, const std::string& line) {
  const std::string text = line + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n <= 0) return;  // nobody listens: not our loss
    done += static_cast<std::size_t>(n);
  }
  close(fd);
}

int run(const Arguments& arguments) {
  StderrLog log(arguments.verbose ? LogLevel::debug : LogLevel::info);
  WallClock wall;
  auto loop = net::EventLoop::create();
  if (!loop.ok()) {
    log.error("gateway", loop.error().message);
    return 1;
  }
  net::SignalWatcher signals(**loop, {SIGTERM, SIGINT});
  auto started = net::wait_result(gateway::Service::start(**loop, arguments.service, wall, log),
                                  (*loop)->wait_scope());
  if (!started.ok()) {
    log.error("gateway", started.error().message);
    return 1;
  }
  const std::string announcement = gateway::to_json((*started)->announcement());
  if (arguments.ready_fd >= 0) {
    write_line(arguments.ready_fd, announcement);
  } else {
    std::printf("%s\n", announcement.c_str());
    std::fflush(stdout);
  }
  const int signal = signals.next().wait((*loop)->wait_scope());
  log.info("gateway", "signal " + std::to_string(signal) + ": stopping");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{
      "The Penstock gateway: accounts, leases and metering in front of a pool of executors."};
  app.add_option("--data", arguments.service.data_directory,
                 "directory of certificate, ticket key and store; made at the first start")
      ->required();
  app.add_option("--listen", arguments.service.listen, "host:port for clients and executors (TLS)");
  app.add_option("--unix", arguments.service.unix_path, "Unix socket for local use (plain)");
  app.add_option("--http", arguments.service.http, "host:port of /healthz (plain HTTP)");
  app.add_flag("--new-key,--print-key", arguments.service.new_key,
               "issue another administrator key");
  app.add_option("--ready-fd", arguments.ready_fd,
                 "descriptor for the line of JSON that says where it listens (default: stdout)");
  app.add_option("--die-with", arguments.parent, "end when this parent process ends");
  app.add_flag("--verbose", arguments.verbose, "log every decision");
  CLI11_PARSE(app, argc, argv);
  if (arguments.service.listen.empty() && arguments.service.unix_path.empty()) {
    std::fprintf(stderr, "penstock-gateway: give --listen, --unix or both\n");
    return 2;
  }
  if (arguments.parent != 0) {
    const Status tied = net::die_with_parent(arguments.parent);
    if (!tied.ok()) return 1;
  }
  return run(arguments);
}
