// A step on two devices that sleep for their compute time, beside its floor max(compute,
// communication). Prints one JSON line.
#include <algorithm>
#include <cstdio>

#include "tests/support/overlap_run.h"

int main() {
  const auto result = penstock::testing::run_overlap({.steps = 9});
  const auto ms = [](penstock::Nanoseconds span) {
    return static_cast<double>(span.count()) * 1e-6;
  };
  std::printf(
      "{\"step_ms\": %.3f, \"floor_ms\": %.3f, \"compute_ms\": %.3f, "
      "\"communication_ms\": %.3f}\n",
      ms(result.step), std::max(ms(result.compute), ms(result.communication)), ms(result.compute),
      ms(result.communication));
  return 0;
}
