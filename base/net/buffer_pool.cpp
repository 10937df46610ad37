#include "base/net/buffer_pool.h"

#include <bit>

#include "base/check.h"

namespace penstock::net {

namespace {

constexpr std::size_t kSmallestWords = 64;

std::size_t rounded(std::size_t words) {
  return std::bit_ceil(words < kSmallestWords ? kSmallestWords : words);
}

std::size_t size_class(std::size_t rounded_words) {
  return static_cast<std::size_t>(std::countr_zero(rounded_words));
}

}  // namespace

kj::Array<capnp::word> BufferPool::take(std::size_t words) {
  const std::size_t size = rounded(words);
  PENSTOCK_CHECK(size_class(size) < kClasses);
  auto& kept = kept_[size_class(size)];
  if (!kept.empty()) {
    auto buffer = kj::mv(kept.back());
    kept.pop_back();
    kept_bytes_ -= size * sizeof(capnp::word);
    return buffer;
  }
  ++allocated_count_;
  return kj::heapArray<capnp::word>(size);
}

void BufferPool::give_back(kj::Array<capnp::word> buffer) {
  const std::size_t bytes = buffer.size() * sizeof(capnp::word);
  if (kept_bytes_ + bytes > kept_bytes_max_) return;
  kept_bytes_ += bytes;
  kept_[size_class(buffer.size())].push_back(kj::mv(buffer));
}

}  // namespace penstock::net
