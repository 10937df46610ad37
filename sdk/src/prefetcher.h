#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "penstock/data.h"

namespace penstock::data {

/// Calls `make` on one background thread and keeps at most `ahead` results waiting.
/// Threads: one taker
class Prefetcher {
 public:
  Prefetcher(std::function<std::optional<Batch>()> make, std::size_t ahead);
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;
  ~Prefetcher();

  /// The next result, in order; nothing once `make` gave nothing. Throws what `make` threw.
  std::optional<Batch> take();
  /// Results that wait to be taken; never more than `ahead`.
  std::size_t waiting() const;

 private:
  void work();

  const std::function<std::optional<Batch>()> make_;
  const std::size_t ahead_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  bool ended_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace penstock::data
