#include "sdk/src/prefetcher.h"

#include <utility>

namespace penstock::data {

Prefetcher::Prefetcher(std::function<std::optional<Batch>()> make, std::size_t ahead)
    : make_(std::move(make)), ahead_(ahead), thread_([this] { work(); }) {}

Prefetcher::~Prefetcher() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::work() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || ready_.size() < ahead_; });
      if (stopping_) return;
    }
    std::optional<Batch> made;
    std::exception_ptr failure;
    try {
      made = make_();
    } catch (...) {
      failure = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    const bool last = !made.has_value();
    if (last) {
      ended_ = true;
      failure_ = failure;
    } else {
      ready_.push_back(*std::move(made));
    }
    changed_.notify_all();
    if (last) return;
  }
}

std::optional<Batch> Prefetcher::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || !ready_.empty(); });
  if (ready_.empty()) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::nullopt;
  }
  Batch batch = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return batch;
}

std::size_t Prefetcher::waiting() const {
  std::lock_guard lock(mutex_);
  return ready_.size();
}

}  // namespace penstock::data
