#include "executor/runtime/cpu/strided.h"

#include "base/check.h"
#include "executor/compiler/index.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;

}  // namespace

std::int64_t Walk::elements() const {
  std::int64_t n = 1;
  for (int i = 0; i < rank; ++i) n *= extents[at(i)];
  return n;
}

Walk merge_dimensions(const TensorView& result, std::span<const TensorView> operands) {
  PENSTOCK_CHECK(operands.size() <= Walk::kMaxOperands);
  Walk walk;
  walk.operands = static_cast<int>(operands.size());
  for (int dim = 0; dim < result.rank; ++dim) {
    const std::int64_t extent = result.extents[at(dim)];
    if (extent == 1) continue;
    bool merges = walk.rank > 0;
    for (int k = 0; k < walk.operands && merges; ++k) {
      const std::int64_t outer = walk.strides[at(k)][at(walk.rank - 1)];
      merges = outer == operands[at(k)].strides[at(dim)] * extent;
    }
    if (!merges) {
      walk.extents[at(walk.rank++)] = extent;
    } else {
      walk.extents[at(walk.rank - 1)] *= extent;
    }
    for (int k = 0; k < walk.operands; ++k) {
      walk.strides[at(k)][at(walk.rank - 1)] = operands[at(k)].strides[at(dim)];
    }
  }
  return walk;
}

void Odometer::seek(std::int64_t index) {
  offsets_ = {};
  for (int dim = dims_ - 1; dim >= 0; --dim) {
    const std::int64_t extent = walk_.extents[at(dim)];
    at_[at(dim)] = extent == 0 ? 0 : index % extent;
    index = extent == 0 ? 0 : index / extent;
    for (int k = 0; k < walk_.operands; ++k) {
      offsets_[at(k)] += at_[at(dim)] * walk_.strides[at(k)][at(dim)];
    }
  }
}

void Odometer::next() {
  for (int dim = dims_ - 1; dim >= 0; --dim) {
    for (int k = 0; k < walk_.operands; ++k) offsets_[at(k)] += walk_.strides[at(k)][at(dim)];
    if (++at_[at(dim)] < walk_.extents[at(dim)]) return;
    for (int k = 0; k < walk_.operands; ++k) {
      offsets_[at(k)] -= walk_.extents[at(dim)] * walk_.strides[at(k)][at(dim)];
    }
    at_[at(dim)] = 0;
  }
}

}  // namespace penstock::runtime::cpu
