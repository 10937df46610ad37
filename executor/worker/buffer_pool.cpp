#include "executor/worker/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace penstock::executor {
namespace {

constexpr std::size_t kAlignment = 64;

std::byte* allocate(std::size_t capacity) {
  return static_cast<std::byte*>(::operator new(capacity, std::align_val_t(kAlignment)));
}
void release(std::byte* data) {
  ::operator delete(data, std::align_val_t(kAlignment));
}

}  // namespace

Buffer::~Buffer() {
  if (data_ != nullptr) pool_->give_back(data_, capacity_);
}

std::shared_ptr<BufferPool> BufferPool::create(std::uint64_t kept_bytes_max) {
  return std::shared_ptr<BufferPool>(new BufferPool(kept_bytes_max));
}

BufferPool::~BufferPool() {
  for (const auto& [capacity, data] : free_) release(data);
}

Buffer BufferPool::take(std::size_t size) {
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(size, kAlignment));
  Buffer buffer;
  buffer.pool_ = shared_from_this();
  buffer.size_ = size;
  buffer.capacity_ = capacity;
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(free_.rbegin(), free_.rend(),
                                 [&](const auto& kept) { return kept.first == capacity; });
    if (at != free_.rend()) {
      buffer.data_ = at->second;
      kept_bytes_ -= capacity;
      free_.erase(std::next(at).base());
    }
  }
  if (buffer.data_ == nullptr) buffer.data_ = allocate(capacity);
  return buffer;
}

std::uint64_t BufferPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

void BufferPool::give_back(std::byte* data, std::size_t capacity) {
  {
    const std::lock_guard lock(mutex_);
    if (kept_bytes_ + capacity <= kept_bytes_max_) {
      free_.emplace_back(capacity, data);
      kept_bytes_ += capacity;
      return;
    }
  }
  release(data);
}

}  // namespace penstock::executor
