#include "base/clock.h"

#include <chrono>

namespace penstock {
namespace {

template <class StdClock>
Instant read() {
  return {std::chrono::duration_cast<Nanoseconds>(StdClock::now().time_since_epoch()).count()};
}

}  // namespace

Instant MonotonicClock::now() const {
  return read<std::chrono::steady_clock>();
}

Instant WallClock::now() const {
  return read<std::chrono::system_clock>();
}

}  // namespace penstock
