#include <csignal>
#include <ctime>
#include <filesystem>
#include <iostream>

#include "base/net/private_file.h"
#include "penstock/error.h"
#include "sdk/cli/arguments.h"
#include "sdk/cli/connection.h"
#include "sdk/src/loop_thread.h"
#include "sdk/src/pool_processes.h"

namespace penstock::cli {
namespace {

std::string default_data_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return std::string(state) + "/penstock";
  const char* home = std::getenv("HOME");
  return (home != nullptr && *home != '\0' ? std::string(home) : "/tmp") + "/.local/state/penstock";
}

void print_ready(const UpArguments& arguments, const detail::GatewayReady& gateway,
                 const std::string& data) {
  const std::string where = gateway.address.empty() ? arguments.listen : gateway.address;
  const std::string url = "penstock://" + where + "?fingerprint=" + gateway.fingerprint;
  if (arguments.json) {
    std::cout << "{\"event\":\"up\",\"url\":" << json_string(url)
              << ",\"unix\":" << json_string("unix:" + gateway.unix_path)
              << ",\"key\":" << json_string(gateway.key)
              << ",\"fingerprint\":" << json_string(gateway.fingerprint)
              << ",\"devices\":" << arguments.devices << "}" << std::endl;
    return;
  }
  std::cout << "Penstock is up: " << arguments.devices << " devices, " << arguments.threads
            << " thread(s) and " << arguments.memory << " each; state in " << data << "\n\n"
            << "In another terminal:\n\n"
            << "  export PENSTOCK_URL='" << url << "'\n";
  std::cout << "  export PENSTOCK_KEY='" << gateway.key << "'\n"
            << "  penstock train --model convnet\n\nCtrl-C stops it." << std::endl;
}

/// Blocks the signals that mean "stop", for this thread and those that it starts.
sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace

ExitCode run_up(const UpArguments& arguments) {
  const sigset_t signals = block_stop_signals();
  detail::PoolOptions pool;
  pool.binaries = value_or_throw(detail::find_binaries(""));
  pool.data = arguments.data.empty() ? default_data_folder() : arguments.data;
  std::filesystem::create_directories(pool.data);
  std::filesystem::permissions(pool.data, std::filesystem::perms::owner_all);
  pool.unix_path = pool.data + "/gateway.sock";
  pool.listen = arguments.listen;
  pool.http = arguments.http;
  pool.lane_host = arguments.listen.substr(0, arguments.listen.rfind(':'));
  const std::string key_path = pool.data + "/administrator.key";
  const Result<std::string> known = net::read_file(key_path, net::FileAccess::owner_only);
  pool.print_key = !known.ok();
  pool.devices = arguments.devices;
  pool.threads = arguments.threads;
  pool.trace = arguments.trace;
  pool.memory_bytes = value_or_throw(parse_bytes(arguments.memory));
  const auto thread = value_or_throw(detail::LoopThread::start());
  const auto processes = value_or_throw(detail::PoolProcesses::start(*thread, pool));
  detail::GatewayReady gateway = processes->gateway();
  if (known.ok()) gateway.key = *known;
  if (!known.ok())
    value_or_throw(net::write_file(key_path, gateway.key, net::FileAccess::owner_only));
  print_ready(arguments, gateway, pool.data);
  while (true) {
    const timespec patience{0, 200'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &patience);
    if (signal > 0) break;
    const auto ended = processes->wait_for_end(1ms);
    if (ended.ok()) throw Exception({ErrorCode::unavailable, *ended});
  }
  if (!arguments.json) std::cout << "\nstopping" << std::endl;
  return ExitCode::ok;
}

}  // namespace penstock::cli
