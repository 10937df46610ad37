#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace penstock::executor {

class BufferPool;

/// Bytes from a pool, given back when it is destroyed. Aligned to 64.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : pool_(std::move(other.pool_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer();

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::size_t size() const { return size_; }

 private:
  friend class BufferPool;
  std::shared_ptr<BufferPool> pool_;  // shared: buffers may outlive the part that made the pool
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Buffers by power of two, kept for the next call: a first touch of fresh pages costs more than
/// copying into them. Threads: any
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  /// Keeps at most `kept_bytes_max` bytes of unused buffers.
  static std::shared_ptr<BufferPool> create(std::uint64_t kept_bytes_max);
  ~BufferPool();

  Buffer take(std::size_t size);
  std::uint64_t kept_bytes() const;

 private:
  friend class Buffer;
  explicit BufferPool(std::uint64_t kept_bytes_max) : kept_bytes_max_(kept_bytes_max) {}
  void give_back(std::byte* data, std::size_t capacity);

  const std::uint64_t kept_bytes_max_;
  mutable std::mutex mutex_;
  std::vector<std::pair<std::size_t, std::byte*>> free_;  // capacity, data
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace penstock::executor
