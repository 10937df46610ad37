#include "sdk/src/window.h"

#include <algorithm>
#include <cmath>

namespace penstock::detail {
namespace {

constexpr int kUnmeasured = 8;
constexpr double kSmoothing = 1.0 / 8;

}  // namespace

int window_size(const LinkTimes& times, const WindowLimits& limits) {
  int wanted = kUnmeasured;
  if (times.step.count() > 0) {
    const double fitting = 1.5 * static_cast<double>(times.round_trip.count()) /
                           static_cast<double>(times.step.count());
    wanted = 2 + static_cast<int>(std::ceil(std::min(fitting, 1e6)));
  }
  return std::clamp(wanted, limits.calls_min, limits.calls_max);
}

bool window_admits(int calls, std::int64_t bytes_under_way, std::int64_t bytes, int window,
                   const WindowLimits& limits) {
  if (calls == 0) return true;
  return calls < window && bytes <= limits.bytes_max - bytes_under_way;
}

void LinkMeter::add_round_trip(Nanoseconds round_trip) {
  recent_[count_ % kKept] = std::max(round_trip, Nanoseconds(1));
  ++count_;
  if (count_ == 2 * kKept) count_ = kKept;
}

void LinkMeter::add_step(Nanoseconds step) {
  const auto ns = static_cast<double>(std::max<std::int64_t>(step.count(), 1));
  step_ns_ = step_ns_ == 0 ? ns : step_ns_ + kSmoothing * (ns - step_ns_);
}

LinkTimes LinkMeter::times() const {
  LinkTimes times;
  const int kept = std::min(count_, kKept);
  if (kept > 0) times.round_trip = *std::min_element(recent_, recent_ + kept);
  times.step = Nanoseconds(static_cast<std::int64_t>(step_ns_));
  return times;
}

}  // namespace penstock::detail
