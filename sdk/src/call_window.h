#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "sdk/src/window.h"

namespace penstock::detail {

/// Lets calls of one lane start while the window has room, numbers them, and keeps the lane's first
/// error, with which every later call fails.
/// Threads: any
class CallWindow {
 public:
  explicit CallWindow(WindowLimits limits = {}) : limits_(limits) {}

  /// The number of a new call of `bytes`, from 1; waits for room.
  /// Errors: the lane's first error; deadline_exceeded naming `call`
  Result<std::uint64_t> enter(std::int64_t bytes, Nanoseconds deadline, const std::string& call);
  /// A call has failed: `enter` and `drain` tell so from here on. Told before the call's future is
  /// filled, so that who has seen the failure cannot start another call.
  void fail(const Error& error);
  /// A call has been answered.
  void leave(std::int64_t bytes);
  void measured(std::optional<Nanoseconds> round_trip, std::optional<Nanoseconds> step);

  /// Waits until no call is under way. Errors: as `enter`
  Status drain(Nanoseconds deadline, const std::string& what);

  int window() const;
  int under_way() const;
  LinkTimes times() const;

 private:
  Status check_failed() const;  // with mutex_

  const WindowLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  LinkMeter meter_;
  std::uint64_t last_number_ = 0;
  int calls_ = 0;
  std::int64_t bytes_ = 0;
  std::optional<Error> failed_;
};

}  // namespace penstock::detail
