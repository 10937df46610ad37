#pragma once

#include "executor/runtime/cpu/windows.h"

namespace penstock::runtime::cpu {

/// Pooling of images [first, last), in place of whole tensors so that threads can share them out.
/// `x`, `y`, `g` and `dx` point at the whole tensors. Padding is never a maximum, and counts in an
/// average. A NaN in a window is its maximum, and its gradient goes there.
struct PoolRange {
  Windows windows;
  std::int64_t first = 0, last = 0;
};
void pool_max(const PoolRange& range, const float* x, float* y);
void pool_max(const PoolRange& range, const double* x, double* y);
void pool_max_gradient(const PoolRange& range, const float* x, const float* g, float* dx);
void pool_max_gradient(const PoolRange& range, const double* x, const double* g, double* dx);
void pool_average(const PoolRange& range, const float* x, float* y);
void pool_average(const PoolRange& range, const double* x, double* y);
void pool_average_gradient(const PoolRange& range, const float* g, float* dx);
void pool_average_gradient(const PoolRange& range, const double* g, double* dx);

}  // namespace penstock::runtime::cpu
