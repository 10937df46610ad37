#include "executor/worker/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/net/child_process.h"
#include "base/units.h"
#include "executor/runtime/cpu/process_limits.h"

namespace penstock::executor {
namespace {

constexpr rlim_t kFilesMax = 1024;

/// Beside the device's memory: staging buffers, uploads and kept replies (bounded in limits.h),
/// stacks, and the libraries' own.
constexpr std::uint64_t kOverheadBytes = 2 * kGiB;

Error refused(const std::string& step) {
  return {ErrorCode::failed_precondition, "sandbox: " + step + ": " + std::strerror(errno)};
}

Status limit(int resource, rlim_t value, const std::string& step) {
  rlimit bound{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &bound) != 0) return refused(step);
  if (bound.rlim_max == RLIM_INFINITY || value < bound.rlim_max) bound.rlim_max = value;
  bound.rlim_cur = bound.rlim_max;
  if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound) != 0) return refused(step);
  return {};
}

/// Private writable memory of this process now, which is what the limit counts.
std::uint64_t data_bytes_in_use() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kib = 0;
  while (status >> word)
    if (word == "VmData:") status >> kib;
  return kib * kKiB;
}

}  // namespace

Status enter_sandbox(const SandboxOptions& options) {
  if (options.parent != 0) PENSTOCK_TRY(net::die_with_parent(options.parent));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("no_new_privs");
  PENSTOCK_TRY(limit(RLIMIT_CORE, 0, "core size"));
  PENSTOCK_TRY(limit(RLIMIT_NOFILE, kFilesMax, "open files"));
  PENSTOCK_TRY(runtime::limit_process_memory(
      {.device_bytes = static_cast<std::int64_t>(options.device_memory_bytes),
       .overhead_bytes = static_cast<std::int64_t>(data_bytes_in_use() + kOverheadBytes)}));
  auto cpus =
      runtime::bind_process_to_cpus({.threads = options.threads, .device_index = options.device});
  if (!cpus.ok()) return std::move(cpus).error().in("sandbox");
  return {};
}

}  // namespace penstock::executor
