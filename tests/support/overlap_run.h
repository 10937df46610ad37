#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace penstock::testing {

/// Two ranks in this process train a deep net on devices that sleep for their compute time, over
/// links of a given speed: real compiler, runner, communicate thread and collectives.
struct OverlapOptions {
  int layers = 12;
  std::int64_t width = 512;
  std::int64_t rows = 256;          // global batch
  double flop_per_second = 2e10;    // of each device
  double bytes_per_second = 400e6;  // of each rank's outgoing link; 0: as fast as memory
  int steps = 5;
};

struct OverlapResult {
  Nanoseconds step{};           // median over the steps, on the clock of this process
  Nanoseconds compute{};        // modelled time of one rank's kernels of one step
  Nanoseconds communication{};  // bytes that a ring sends per rank and step, at the link's speed
  std::uint64_t first_bucket_bytes = 0;
  /// Payload that rank 1's transport had received in the last step when rank 0 began its last
  /// backward matmul; counted by a transport around the real one.
  std::uint64_t received_before_last_backward = 0;
  std::uint64_t received_in_step = 0;
};

OverlapResult run_overlap(const OverlapOptions& options);

}  // namespace penstock::testing
