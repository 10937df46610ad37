#pragma once

#include "base/units.h"

namespace penstock {

/// Where code reads the time. `main` chooses the clock; nothing below asks the system.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Threads: any
  virtual Instant now() const = 0;
};

/// Nanoseconds since boot; never goes back. For deadlines and durations.
class MonotonicClock final : public Clock {
 public:
  Instant now() const override;
};

/// Nanoseconds since 1970. For what is stored or shown: expiry in tickets, ledger lines.
class WallClock final : public Clock {
 public:
  Instant now() const override;
};

/// A clock that a test moves. Threads: one
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start = {}) : now_(start) {}
  Instant now() const override { return now_; }
  void advance(Nanoseconds span) { now_ = now_ + span; }

 private:
  Instant now_;
};

}  // namespace penstock
