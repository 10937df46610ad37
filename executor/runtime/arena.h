#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"

namespace penstock::runtime {

/// One block of the host's memory: page-aligned, zero at first, in huge pages where the system
/// gives them. Pages are taken as they are touched.
class Arena {
 public:
  /// Errors: resource_exhausted with the size if the system refuses.
  static Result<std::unique_ptr<Arena>> create(std::int64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }

 private:
  Arena(std::byte* data, std::size_t size, std::size_t mapped)
      : data_(data), size_(size), mapped_(mapped) {}
  std::byte* data_;
  std::size_t size_, mapped_;
};

}  // namespace penstock::runtime
