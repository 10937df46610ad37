#include "executor/runtime/cpu/process_limits.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace penstock::runtime {
namespace {

Error refused(const std::string& what) {
  return {ErrorCode::failed_precondition, what + ": " + std::strerror(errno)};
}

}  // namespace

std::vector<int> choose_cpus(const std::vector<int>& allowed, CpuBinding binding) {
  std::vector<int> cpus;
  const std::size_t n = allowed.size();
  const auto threads = static_cast<std::size_t>(std::max(1, binding.threads));
  const std::size_t first = static_cast<std::size_t>(std::max(0, binding.device_index)) * threads;
  for (std::size_t i = 0; i < std::min(threads, n); ++i) cpus.push_back(allowed[(first + i) % n]);
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

Result<std::vector<int>> bind_process_to_cpus(CpuBinding binding) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return refused("reading the allowed CPUs");
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) allowed.push_back(cpu);
  }
  const std::vector<int> cpus = choose_cpus(allowed, binding);
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(cpu, &set);

  // A mask is each thread's own; new threads inherit that of the one that starts them.
  DIR* const tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return refused("listing this process's threads");
  Status status;
  while (const dirent* task = ::readdir(tasks)) {
    const int id = std::atoi(task->d_name);
    if (id > 0 && ::sched_setaffinity(id, sizeof set, &set) != 0 && errno != ESRCH) {
      status = refused("binding thread " + std::to_string(id) + " to its CPUs");
    }
  }
  ::closedir(tasks);
  PENSTOCK_TRY(std::move(status));
  return cpus;
}

Status limit_process_memory(MemoryLimit limit) {
  // RLIMIT_DATA counts private writable memory: heap, stacks and the arena, not mapped files.
  rlimit bound{};
  if (::getrlimit(RLIMIT_DATA, &bound) != 0) return refused("reading the memory limit");
  const auto wanted = static_cast<rlim_t>(limit.device_bytes + limit.overhead_bytes);
  if (bound.rlim_max == RLIM_INFINITY || wanted < bound.rlim_max) bound.rlim_max = wanted;
  bound.rlim_cur = bound.rlim_max;
  if (::setrlimit(RLIMIT_DATA, &bound) != 0) return refused("setting the memory limit");
  return {};
}

}  // namespace penstock::runtime
