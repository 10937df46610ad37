#pragma once

#include <cstdint>

#include "base/units.h"

namespace penstock::detail {

/// Bounds on the calls of a lane that are under way at once.
struct WindowLimits {
  int calls_min = 2;
  int calls_max = 256;
  std::int64_t bytes_max = 64 << 20;
};

/// What a lane has measured; zero: not yet.
struct LinkTimes {
  Nanoseconds round_trip{};  // of the network alone
  Nanoseconds step{};        // of the devices
};

/// How many calls must be under way so that the devices never wait for the network: those that fit
/// into a round trip, half of that again against jitter, one that runs and one that waits behind
/// it. Before anything is measured: enough for a link of middling length.
int window_size(const LinkTimes& times, const WindowLimits& limits);

/// Whether a call of `bytes` may start beside those under way. One that is larger than the whole
/// bound goes alone.
bool window_admits(int calls, std::int64_t bytes_under_way, std::int64_t bytes, int window,
                   const WindowLimits& limits);

/// Keeps the least round trip of the last calls and a moving mean of the step time.
class LinkMeter {
 public:
  void add_round_trip(Nanoseconds round_trip);
  void add_step(Nanoseconds step);
  LinkTimes times() const;

 private:
  static constexpr int kKept = 64;
  Nanoseconds recent_[kKept] = {};
  int count_ = 0;
  double step_ns_ = 0;
};

}  // namespace penstock::detail
