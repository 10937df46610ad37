#include "sdk/src/call_window.h"

namespace penstock::detail {

Status CallWindow::check_failed() const {
  if (failed_) return *failed_;
  return {};
}

Result<std::uint64_t> CallWindow::enter(std::int64_t bytes, Nanoseconds deadline,
                                        const std::string& call) {
  std::unique_lock lock(mutex_);
  const auto may_start = [&] {
    return failed_.has_value() ||
           window_admits(calls_, bytes_, bytes, window_size(meter_.times(), limits_), limits_);
  };
  if (!changed_.wait_for(lock, deadline, may_start))
    return Error{ErrorCode::deadline_exceeded,
                 call + ": " + std::to_string(calls_) +
                     " calls are under way and none was answered within " +
                     format_duration(deadline)};
  PENSTOCK_TRY(check_failed());
  ++calls_;
  bytes_ += bytes;
  return ++last_number_;
}

void CallWindow::fail(const Error& error) {
  std::lock_guard lock(mutex_);
  if (!failed_) failed_ = error;
  changed_.notify_all();
}

void CallWindow::leave(std::int64_t bytes) {
  std::lock_guard lock(mutex_);
  --calls_;
  bytes_ -= bytes;
  changed_.notify_all();
}

void CallWindow::measured(std::optional<Nanoseconds> round_trip, std::optional<Nanoseconds> step) {
  std::lock_guard lock(mutex_);
  if (round_trip) meter_.add_round_trip(*round_trip);
  if (step) meter_.add_step(*step);
  changed_.notify_all();
}

Status CallWindow::drain(Nanoseconds deadline, const std::string& what) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, deadline, [this] { return calls_ == 0; }))
    return Error{ErrorCode::deadline_exceeded, what + ": " + std::to_string(calls_) +
                                                   " calls have no answer within " +
                                                   format_duration(deadline)};
  return check_failed();
}

int CallWindow::window() const {
  std::lock_guard lock(mutex_);
  return window_size(meter_.times(), limits_);
}

int CallWindow::under_way() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

LinkTimes CallWindow::times() const {
  std::lock_guard lock(mutex_);
  return meter_.times();
}

}  // namespace penstock::detail
