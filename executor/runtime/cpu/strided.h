#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "executor/runtime/backend.h"

namespace penstock::runtime::cpu {

/// A walk over a dense result and some operands of any strides, with neighbouring dimensions
/// merged wherever every operand allows it. Dimension `rank - 1` is the innermost.
struct Walk {
  static constexpr int kMaxOperands = 16;
  int rank = 0;
  int operands = 0;
  std::array<std::int64_t, TensorView::kMaxRank> extents{};
  std::array<std::array<std::int64_t, TensorView::kMaxRank>, kMaxOperands> strides{};

  std::int64_t elements() const;
};

/// Precondition: every operand has the result's rank, and its extents (or stride 0).
Walk merge_dimensions(const TensorView& result, std::span<const TensorView> operands);

/// Counts through the first `dims` dimensions of a walk, keeping each operand's offset in elements.
class Odometer {
 public:
  Odometer(const Walk& walk, int dims) : walk_(walk), dims_(dims) {}
  std::int64_t offset(int operand) const { return offsets_[static_cast<std::size_t>(operand)]; }
  /// To the position number `index`, counted row-major.
  void seek(std::int64_t index);
  void next();

 private:
  const Walk& walk_;
  int dims_;
  std::array<std::int64_t, TensorView::kMaxRank> at_{};
  std::array<std::int64_t, Walk::kMaxOperands> offsets_{};
};

}  // namespace penstock::runtime::cpu
