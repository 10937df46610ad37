#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace penstock::executor {

/// The longest that a thread of a worker sleeps before it looks around.
inline constexpr Nanoseconds kSleepMax = 1s;

/// What one lane may hold at a time.
struct LaneLimits {
  std::size_t queued_calls_max = 1024;
  std::uint64_t queued_bytes_max = 256 * kMiB;
  std::size_t kept_replies_max = 1024;
  std::uint64_t kept_reply_bytes_max = 64 * kMiB;
  std::uint64_t runs_of_repetition_max = 1'000'000;
  std::size_t uploads_max = 64;
  std::uint64_t upload_bytes_max = kGiB;
};

/// What one worker allows.
struct WorkerLimits {
  LaneLimits lane;
  std::size_t lanes_max = 64;
  /// Commands that are on their way to the ranks or running there: enough that the next call's
  /// inputs travel while this one computes.
  std::size_t commands_in_flight = 4;
  /// How long a rank waits for the others in a collective.
  Nanoseconds collective_deadline = 30s;
  std::uint64_t text_bytes_max = 16 * kMiB;  // of a program or plan
};

}  // namespace penstock::executor
