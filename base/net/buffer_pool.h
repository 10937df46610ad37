#pragma once

#include <capnp/common.h>
#include <kj/array.h>
#include <kj/refcount.h>

#include <array>
#include <cstddef>
#include <vector>

namespace penstock::net {

/// Keeps big receive buffers for the next message: a page that is touched for the first time costs
/// more than reading 4 KiB from a socket does. Sizes are powers of two.
/// Threads: one loop
class BufferPool final : public kj::Refcounted {
 public:
  explicit BufferPool(std::size_t kept_bytes_max) : kept_bytes_max_(kept_bytes_max) {}

  /// Room for at least `words`, with whatever was in it before.
  kj::Array<capnp::word> take(std::size_t words);
  /// Takes a buffer back; frees it instead if enough are kept already.
  void give_back(kj::Array<capnp::word> buffer);

  std::size_t kept_bytes() const { return kept_bytes_; }
  /// How many buffers had to be allocated so far.
  std::size_t allocated_count() const { return allocated_count_; }

 private:
  static constexpr std::size_t kClasses = 40;
  std::array<std::vector<kj::Array<capnp::word>>, kClasses> kept_;
  std::size_t kept_bytes_max_;
  std::size_t kept_bytes_ = 0;
  std::size_t allocated_count_ = 0;
};

}  // namespace penstock::net
