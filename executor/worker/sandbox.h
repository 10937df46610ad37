#pragma once

#include <cstdint>

#include "base/result.h"

namespace penstock::executor {

/// What a worker process may do. The one place for it: the full sandbox (its own uid and
/// namespaces, seccomp once every peer is connected, a cgroup) belongs here too.
struct SandboxOptions {
  int parent = 0;  // the agent's process; 0: none to die with
  int device = 0;
  int threads = 1;
  std::uint64_t device_memory_bytes = 0;
};

/// Before any thread is started: dies with the agent, gains no privileges, dumps no core, holds few
/// files, is tied to the device's CPUs, and may not take more memory than the device has, plus
/// what code, libraries and buffers need.
/// Errors: failed_precondition naming the step that the system refused
Status enter_sandbox(const SandboxOptions& options);

}  // namespace penstock::executor
