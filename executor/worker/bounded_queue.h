#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/units.h"

namespace penstock::executor {

/// Hands values from any threads to one taker. Bounded by what its users keep in flight; a push
/// past `size_max` is refused. Threads: any
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t size_max) : size_max_(size_max) {}

  /// False if the queue is full or closed; the value is then dropped.
  bool push(T value) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || values_.size() >= size_max_) return false;
      values_.push_back(std::move(value));
    }
    changed_.notify_one();
    return true;
  }

  /// The oldest value; nothing when `patience` has passed or the queue is closed and empty.
  std::optional<T> pop(Nanoseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  /// Refuses what comes; what is there can still be taken.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  const std::size_t size_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace penstock::executor
