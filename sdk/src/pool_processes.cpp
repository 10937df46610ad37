#include "sdk/src/pool_processes.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/net/child_process.h"
#include "base/net/private_file.h"
#include "sdk/src/loop_thread.h"

namespace penstock::detail {

using net::ChildProcess;

struct PoolProcesses::Children {
  std::unique_ptr<ChildProcess> gateway;
  std::unique_ptr<ChildProcess> agent;
};

namespace {

constexpr int kReadyFd = 3;
constexpr std::size_t kReadyBytesMax = 16 << 10;
constexpr Nanoseconds kStopPatience = 5s;

/// The end of a log, for an error message.
std::string tail_of(const std::string& path) {
  if (path.empty()) return "";
  std::ifstream file(path, std::ios::ate | std::ios::binary);
  if (!file) return "";
  constexpr std::streamoff kTail = 800;
  const std::streamoff size = file.tellg();
  file.seekg(size > kTail ? size - kTail : 0);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return text.empty() ? "" : "; its log ends with:\n" + text;
}

struct Started {
  std::unique_ptr<ChildProcess> child;
  kj::Own<kj::AsyncInputStream> ready;
};

/// Starts a program whose standard descriptors are ours or the log, and which writes one line to
/// descriptor 3 when it is ready.
Started start_program(net::EventLoop& loop, std::vector<std::string> arguments,
                      std::vector<std::pair<std::string, std::string>> environment,
                      const std::string& log_path) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    net::throw_error({ErrorCode::resource_exhausted, "no more file descriptors for a pipe"});
  Started started;
  started.ready =
      loop.low_level().wrapInputFd(ends[0], kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP |
                                                kj::LowLevelAsyncIoProvider::ALREADY_CLOEXEC);
  net::ChildOptions options;
  options.arguments = std::move(arguments);
  options.arguments.insert(options.arguments.end(), {"--ready-fd", std::to_string(kReadyFd)});
  options.environment = std::move(environment);
  options.descriptors = {{ends[1], kReadyFd}};
  options.stdout_path = options.stderr_path = log_path;
  auto child = ChildProcess::spawn(loop, options);
  close(ends[1]);
  started.child = net::or_throw(std::move(child));
  return started;
}

net::Task<std::string> read_line(kj::Own<kj::AsyncInputStream> stream) {
  std::string line;
  char buffer[1024];
  while (line.find('\n') == std::string::npos && line.size() < kReadyBytesMax) {
    const size_t got = co_await stream->tryRead(buffer, 1, sizeof buffer);
    if (got == 0) break;
    line.append(buffer, got);
  }
  co_return line;
}

/// The ready line; an error if the program ends, or closes its descriptor, before it has written
/// it.
kj::Promise<std::string> wait_ready(ChildProcess& child, kj::Own<kj::AsyncInputStream> stream,
                                    const std::string& program, const std::string& log_path) {
  kj::Promise<std::string> line = read_line(kj::mv(stream));
  return line.then([&child, program, log_path](std::string&& text) -> kj::Promise<std::string> {
    if (text.find('\n') != std::string::npos) return kj::mv(text);
    return child.exited().then([program, log_path](net::ExitStatus status) -> std::string {
      net::throw_error({ErrorCode::unavailable, program + " ended before it was ready (" +
                                                    status.text() + ")" + tail_of(log_path)});
    });
  });
}

std::vector<std::string> gateway_arguments(const PoolOptions& o) {
  std::vector<std::string> out = {
      o.binaries + "/penstock-gateway", "--data", o.data, "--unix", o.unix_path, "--die-with",
      std::to_string(getpid())};
  if (!o.listen.empty()) out.insert(out.end(), {"--listen", o.listen});
  if (!o.http.empty()) out.insert(out.end(), {"--http", o.http});
  if (o.print_key) out.push_back("--print-key");
  return out;
}

std::vector<std::string> agent_arguments(const PoolOptions& o) {
  std::vector<std::string> out = {o.binaries + "/penstock-agent",
                                  "--gateway",
                                  "unix:" + o.unix_path,
                                  "--name",
                                  "local",
                                  "--devices",
                                  std::to_string(o.devices),
                                  "--threads",
                                  std::to_string(o.threads),
                                  "--memory",
                                  std::to_string(o.memory_bytes),
                                  "--worker",
                                  o.binaries + "/penstock-worker",
                                  "--state",
                                  o.data + "/agent",
                                  "--listen",
                                  o.lane_host,
                                  "--parent",
                                  std::to_string(getpid())};
  if (!o.trace.empty()) out.insert(out.end(), {"--trace", std::filesystem::absolute(o.trace)});
  return out;
}

net::Task<void> stop_child(net::EventLoop& loop, std::unique_ptr<ChildProcess> child) {
  if (child == nullptr) co_return;
  child->kill(SIGTERM);
  auto ended = child->exited().ignoreResult();
  co_await ended.exclusiveJoin(loop.timer().afterDelay(net::to_duration(kStopPatience)));
}

}  // namespace

Result<GatewayReady> parse_gateway_ready(std::string_view json_line) {
  const auto json = nlohmann::json::parse(json_line, nullptr, false);
  if (!json.is_object())
    return Error{ErrorCode::data_loss,
                 "gateway: its ready line is not JSON: " + std::string(json_line.substr(0, 200))};
  GatewayReady ready;
  const std::pair<const char*, std::string*> fields[] = {{"unix", &ready.unix_path},
                                                         {"address", &ready.address},
                                                         {"fingerprint", &ready.fingerprint},
                                                         {"key", &ready.key},
                                                         {"token", &ready.token}};
  for (const auto& [name, target] : fields)
    if (json.contains(name) && json[name].is_string()) *target = json[name].get<std::string>();
  if (ready.token.empty())
    return Error{ErrorCode::data_loss, "gateway: its ready line has no `token`"};
  return ready;
}

PoolProcesses::PoolProcesses(LoopThread& thread) : thread_(thread) {}

Status PoolProcesses::start_children(const PoolOptions& options) {
  auto ready = thread_.call("start of penstock-gateway", options.deadline, [&]() {
    children_ = std::make_unique<Children>();
    Started started =
        start_program(thread_.loop(), gateway_arguments(options), {}, options.log_path);
    children_->gateway = std::move(started.child);
    return wait_ready(*children_->gateway, kj::mv(started.ready), "penstock-gateway",
                      options.log_path);
  });
  if (!ready.ok()) return std::move(ready).error();
  PENSTOCK_ASSIGN(ready_, parse_gateway_ready(*ready));
  auto joined = thread_.call("start of penstock-agent", options.deadline, [&]() {
    // The token travels in the environment, where other users do not see it.
    Started started = start_program(thread_.loop(), agent_arguments(options),
                                    {{"PENSTOCK_JOIN_TOKEN", ready_.token}}, options.log_path);
    children_->agent = std::move(started.child);
    return wait_ready(*children_->agent, kj::mv(started.ready), "penstock-agent", options.log_path);
  });
  if (!joined.ok()) return std::move(joined).error();
  return {};
}

Result<std::unique_ptr<PoolProcesses>> PoolProcesses::start(LoopThread& thread,
                                                            const PoolOptions& options) {
  std::unique_ptr<PoolProcesses> self(new PoolProcesses(thread));
  PENSTOCK_TRY(self->start_children(options));
  return self;
}

PoolProcesses::~PoolProcesses() {
  // The agent first: its workers end with it, and the gateway sees them go.
  const auto stopped = thread_.call("stop of the pool", 3 * kStopPatience, [this]() {
    auto children = std::move(children_);
    if (children == nullptr) return kj::Promise<void>(kj::READY_NOW);
    net::EventLoop& loop = thread_.loop();
    kj::Promise<void> agent = stop_child(loop, std::move(children->agent));
    return agent.then([&loop, gateway = std::move(children->gateway)]() mutable {
      return kj::Promise<void>(stop_child(loop, std::move(gateway)));
    });
  });
  static_cast<void>(stopped);  // the children are killed either way
}

Result<std::string> PoolProcesses::wait_for_end(Nanoseconds deadline) {
  return thread_.call("watch over the pool", deadline, [this]() {
    auto gateway = children_->gateway->exited().then(
        [](net::ExitStatus status) { return "penstock-gateway ended: " + status.text(); });
    auto agent = children_->agent->exited().then(
        [](net::ExitStatus status) { return "penstock-agent ended: " + status.text(); });
    return gateway.exclusiveJoin(kj::mv(agent));
  });
}

}  // namespace penstock::detail
