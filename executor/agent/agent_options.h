#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/net/address.h"
#include "base/units.h"

namespace penstock::executor {

/// The descriptor under which a worker finds its socket to the agent.
inline constexpr int kWorkerAgentFd = 3;

/// What the operator says about this host and its devices.
struct AgentOptions {
  net::Address gateway;
  std::string token;
  std::string name;
  std::uint32_t devices = 1;
  std::uint32_t threads = 1;              // per device
  std::uint64_t memory_bytes = 2 * kGiB;  // per device
  std::string backend = "cpu";
  std::string worker_path;                    // the penstock-worker program
  std::string state_directory;                // identity, sockets of the direct lanes
  std::string listen_host;                    // of the direct lanes; "": all addresses
  std::string trace_path;                     // "": none; each device adds its number
  std::vector<std::string> worker_arguments;  // passed on as they are

  Nanoseconds start_deadline = 15s;  // of a worker process
  Nanoseconds stop_grace = 2s;       // from SIGTERM to SIGKILL
  Nanoseconds redial_after_min = 100ms;
  Nanoseconds redial_after_max = 10s;
};

/// What a worker process for `device` is started with.
std::vector<std::string> worker_command(const AgentOptions& options, std::uint32_t device);

/// "trace.json" for device 3 is "trace.3.json".
std::string trace_path_of(const std::string& path, std::uint32_t device);

}  // namespace penstock::executor
