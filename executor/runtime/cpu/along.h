#pragma once

#include <cstdint>

#include "executor/runtime/backend.h"

namespace penstock::runtime::cpu {

/// A dense tensor as `outer` x `size` x `inner` elements around one dimension.
struct Along {
  std::int64_t outer = 1, size = 1, inner = 1;
  Along(const TensorView& view, std::int64_t dim);
};

/// `rows` stretches of `bytes` bytes each: row r from `from + r * from_step` to `to + r * to_step`.
struct Stretches {
  std::int64_t rows = 0, bytes = 0, from_step = 0, to_step = 0;
};
void copy_stretches(int threads, const std::byte* from, std::byte* to, const Stretches& stretches);

}  // namespace penstock::runtime::cpu
