#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "penstock/error.h"

namespace penstock {

/// How long `Future::get` waits unless told otherwise.
inline constexpr Nanoseconds kDefaultCallDeadline = std::chrono::minutes(10);

namespace detail {

/// What a future and the call that fills it share. Shared ownership: either may go first.
template <class T>
struct FutureState {
  explicit FutureState(std::string name) : call(std::move(name)) {}
  const std::string call;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<T>> result;  // guarded by mutex; set once
};

}  // namespace detail

/// The result of a call that is under way. Copies share it.
/// Threads: any
template <class T>
class Future {
 public:
  /// Refers to no call; reading it fails.
  Future() = default;
  explicit Future(std::shared_ptr<detail::FutureState<T>> state) : state_(std::move(state)) {}

  /// Whether the result or the error is there.
  bool ready() const {
    if (state_ == nullptr) return false;
    std::lock_guard lock(state_->mutex);
    return state_->result.has_value();
  }

  /// Waits until the call has ended, well or not.
  /// Errors: deadline_exceeded naming the call; the call itself goes on.
  const Future& wait(Nanoseconds deadline = kDefaultCallDeadline) const {
    value_or_throw(try_wait(deadline));
    return *this;
  }

  /// The result. Errors: what the call failed with; deadline_exceeded as in `wait`.
  T get(Nanoseconds deadline = kDefaultCallDeadline) const {
    return value_or_throw(try_get(deadline));
  }

  /// Gives the call up: whoever waits for this future, or a copy of it, gets `cancelled` at once.
  /// The call keeps its place among the others and its effect; an answer that is there already
  /// stays.
  void cancel() const {
    if (state_ == nullptr) return;
    std::lock_guard lock(state_->mutex);
    if (state_->result.has_value()) return;
    state_->result.emplace(
        Error{ErrorCode::cancelled, state_->call + ": its future was cancelled"});
    state_->changed.notify_all();
  }

  /// As `get`, without exceptions.
  Result<T> try_get(Nanoseconds deadline = kDefaultCallDeadline) const {
    PENSTOCK_TRY(try_wait(deadline));
    std::lock_guard lock(state_->mutex);
    return *state_->result;
  }

 private:
  Status try_wait(Nanoseconds deadline) const {
    if (state_ == nullptr)
      return Error{ErrorCode::failed_precondition, "future: it refers to no call"};
    std::unique_lock lock(state_->mutex);
    const auto ended = [this] { return state_->result.has_value(); };
    if (state_->changed.wait_for(lock, deadline, ended)) return {};
    return Error{ErrorCode::deadline_exceeded, state_->call + ": no answer within " +
                                                   format_duration(deadline) +
                                                   "; the call goes on, wait again to get it"};
  }

  std::shared_ptr<detail::FutureState<T>> state_;
};

/// The other end: gives the future its result. One that is dropped unfilled cancels it.
/// Threads: one at a time
template <class T>
class Promise {
 public:
  explicit Promise(std::string call)
      : state_(std::make_shared<detail::FutureState<T>>(std::move(call))) {}
  Promise(Promise&&) noexcept = default;
  Promise& operator=(Promise&&) = delete;
  Promise(const Promise&) = delete;
  ~Promise() {
    if (state_ != nullptr)
      fill(Error{ErrorCode::cancelled,
                 state_->call + ": given up before its answer came; its trainer, executable, "
                                "lease or client was closed"});
  }

  Future<T> future() const { return Future<T>(state_); }

  /// The first fill counts.
  void fill(Result<T> result) {
    std::lock_guard lock(state_->mutex);
    if (state_->result.has_value()) return;
    state_->result.emplace(std::move(result));
    state_->changed.notify_all();
  }

 private:
  std::shared_ptr<detail::FutureState<T>> state_;
};

}  // namespace penstock
