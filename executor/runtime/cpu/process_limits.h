#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace penstock::runtime {

struct CpuBinding {
  int threads = 1;
  int device_index = 0;
};

/// The CPUs of one device: `threads` of the allowed ones, starting at device_index * threads and
/// going round. Pure.
std::vector<int> choose_cpus(const std::vector<int>& allowed, CpuBinding binding);

/// Ties every thread of this process (and those it starts later) to the device's CPUs, so that
/// more than the declared number of threads cannot run at once. Returns the CPUs.
/// Errors: failed_precondition if the system refuses.
/// Threads: call before others are started
Result<std::vector<int>> bind_process_to_cpus(CpuBinding binding);

/// Caps the private memory of this process at the device's bytes plus `overhead_bytes` for code,
/// stacks and libraries. Taking more fails with ENOMEM (std::bad_alloc).
/// Errors: failed_precondition if the system refuses, or more is in use already.
struct MemoryLimit {
  std::int64_t device_bytes = 0;
  std::int64_t overhead_bytes = 512 << 20;
};
Status limit_process_memory(MemoryLimit limit);

}  // namespace penstock::runtime
