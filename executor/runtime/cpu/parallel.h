#pragma once

#include <algorithm>
#include <cstdint>

namespace penstock::runtime::cpu {

/// Calls `body(begin, end)` over disjoint parts of [0, n), on at most `threads` OpenMP threads.
/// `grain` is the least number of items that pays for a thread (waking one costs about 10 us).
/// Parts depend on n and threads alone, so that results do not vary from run to run.
/// Threads: one caller at a time
template <class Body>
void parallel_for(int threads, std::int64_t n, std::int64_t grain, const Body& body) {
  if (n <= 0) return;
  const std::int64_t parts = std::min<std::int64_t>(
      threads, std::max<std::int64_t>(1, n / std::max<std::int64_t>(grain, 1)));
  if (parts <= 1) {
    body(std::int64_t{0}, n);
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    body(n * part / parts, n * (part + 1) / parts);
  }
}

/// Elements that pay for a thread in kernels bound by memory.
inline constexpr std::int64_t kGrain = 16384;

}  // namespace penstock::runtime::cpu
