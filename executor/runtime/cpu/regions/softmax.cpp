#include <algorithm>
#include <cstdint>
#include <limits>

#include "executor/runtime/cpu/labels.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/regions/regions.h"
#include "executor/runtime/cpu/vector_math.h"
#include "executor/runtime/cpu/vectorize.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;

/// Rows [first, last) of a matrix with `columns` columns.
struct Rows {
  std::int64_t first = 0, last = 0, columns = 0;
};

/// NaN comes through, so that a row with one is NaN throughout.
template <class T>
PENSTOCK_INLINE T largest_of(const T* x, std::int64_t n) {
  T largest = -std::numeric_limits<T>::infinity();
  for (std::int64_t i = 0; i < n; ++i) {
    largest = (x[i] > largest || x[i] != x[i]) ? x[i] : largest;
  }
  return largest;
}

/// out = exp(x - largest), which may be in place; returns the sum.
template <class T>
PENSTOCK_INLINE double exponentials(const T* x, std::int64_t n, T largest, T* out) {
  PENSTOCK_INDEPENDENT
  for (std::int64_t i = 0; i < n; ++i) out[i] = exponential(x[i] - largest);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(out[i]);
  return sum;
}

/// log(sum(exp(x - largest))) without room for the exponentials of a row: block by block.
template <class T>
PENSTOCK_INLINE T log_sum(const T* x, std::int64_t n, T largest) {
  constexpr std::int64_t kBlock = 128;
  T block[kBlock];
  double sum = 0;
  for (std::int64_t at = 0; at < n; at += kBlock) {
    sum += exponentials(x + at, std::min(kBlock, n - at), largest, block);
  }
  return static_cast<T>(logarithm(sum));
}

template <class T>
PENSTOCK_INLINE void softmax_of(const Rows& rows, const T* x, T* y) {
  const std::int64_t n = rows.columns;
  for (std::int64_t r = rows.first; r < rows.last; ++r) {
    T* out = y + r * n;
    const double sum = exponentials(x + r * n, n, largest_of(x + r * n, n), out);
    const T scale = static_cast<T>(1.0 / sum);
    for (std::int64_t i = 0; i < n; ++i) out[i] *= scale;
  }
}

template <class T>
PENSTOCK_INLINE void log_softmax_of(const Rows& rows, const T* x, T* y) {
  const std::int64_t n = rows.columns;
  for (std::int64_t r = rows.first; r < rows.last; ++r) {
    const T* in = x + r * n;
    T* out = y + r * n;
    const T largest = largest_of(in, n);
    const T sum = log_sum(in, n, largest);
    PENSTOCK_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) out[i] = (in[i] - largest) - sum;
  }
}

template <class T>
PENSTOCK_INLINE void losses_of(const Rows& rows, const T* x, const Labels& labels, T* losses) {
  const std::int64_t n = rows.columns;
  for (std::int64_t r = rows.first; r < rows.last; ++r) {
    const std::int64_t label = labels[r];
    if (label < 0 || label >= n) {
      losses[r] = std::numeric_limits<T>::quiet_NaN();
      continue;
    }
    const T* in = x + r * n;
    const T largest = largest_of(in, n);
    losses[r] = log_sum(in, n, largest) - (in[label] - largest);
  }
}

template <class T>
PENSTOCK_INLINE void gradient_of(const Rows& rows, const T* x, const Labels& labels, const T* g,
                                 T* out) {
  const std::int64_t n = rows.columns;
  for (std::int64_t r = rows.first; r < rows.last; ++r) {
    T* to = out + r * n;
    const double sum = exponentials(x + r * n, n, largest_of(x + r * n, n), to);
    const T scale = static_cast<T>(static_cast<double>(g[r]) / sum);
    for (std::int64_t i = 0; i < n; ++i) to[i] *= scale;
    const std::int64_t label = labels[r];
    if (label >= 0 && label < n) to[label] -= g[r];
  }
}

PENSTOCK_CLONES void softmax_rows(const Rows& rows, const float* x, float* y) {
  softmax_of(rows, x, y);
}
PENSTOCK_CLONES void softmax_rows_f64(const Rows& rows, const double* x, double* y) {
  softmax_of(rows, x, y);
}
PENSTOCK_CLONES void log_softmax_rows(const Rows& rows, const float* x, float* y) {
  log_softmax_of(rows, x, y);
}
PENSTOCK_CLONES void log_softmax_rows_f64(const Rows& rows, const double* x, double* y) {
  log_softmax_of(rows, x, y);
}
PENSTOCK_CLONES void losses(const Rows& rows, const float* x, const Labels& labels, float* out) {
  losses_of(rows, x, labels, out);
}
PENSTOCK_CLONES void losses_f64(const Rows& rows, const double* x, const Labels& labels,
                                double* out) {
  losses_of(rows, x, labels, out);
}
PENSTOCK_CLONES void gradient(const Rows& rows, const float* x, const Labels& labels,
                              const float* g, float* out) {
  gradient_of(rows, x, labels, g, out);
}
PENSTOCK_CLONES void gradient_f64(const Rows& rows, const double* x, const Labels& labels,
                                  const double* g, double* out) {
  gradient_of(rows, x, labels, g, out);
}

/// Shares the rows of operand 0 out; `f32` and `f64` are called with each part.
template <class F32, class F64>
Status by_rows(int threads, const Launch& launch, const F32& f32, const F64& f64) {
  const TensorView& x = launch.inputs[0];
  const std::int64_t columns = x.extents[static_cast<std::size_t>(x.rank - 1)];
  if (x.elements() == 0) return {};
  parallel_for(threads, x.elements() / columns, std::max<std::int64_t>(1, 4096 / columns),
               [&](std::int64_t begin, std::int64_t end) {
                 const Rows rows{begin, end, columns};
                 x.dtype == DType::f32 ? f32(rows) : f64(rows);
               });
  return {};
}

template <class T>
T* data(const TensorView& view) {
  return reinterpret_cast<T*>(view.data);
}

}  // namespace

Status run_softmax(const program::Attributes&, int threads, const Launch& launch) {
  const TensorView &x = launch.inputs[0], &y = launch.outputs[0];
  return by_rows(
      threads, launch,
      [&](const Rows& rows) { softmax_rows(rows, data<float>(x), data<float>(y)); },
      [&](const Rows& rows) { softmax_rows_f64(rows, data<double>(x), data<double>(y)); });
}

Status run_log_softmax(const program::Attributes&, int threads, const Launch& launch) {
  const TensorView &x = launch.inputs[0], &y = launch.outputs[0];
  return by_rows(
      threads, launch,
      [&](const Rows& rows) { log_softmax_rows(rows, data<float>(x), data<float>(y)); },
      [&](const Rows& rows) { log_softmax_rows_f64(rows, data<double>(x), data<double>(y)); });
}

Status run_cross_entropy(const program::Attributes&, int threads, const Launch& launch) {
  const TensorView &x = launch.inputs[0], &out = launch.outputs[0];
  const Labels labels(launch.inputs[1]);
  if (x.elements() == 0 && out.elements() > 0) {  // no classes: every label is out of range
    const std::int64_t n = out.elements();
    if (out.dtype == DType::f32)
      std::fill_n(data<float>(out), n, std::numeric_limits<float>::quiet_NaN());
    if (out.dtype == DType::f64)
      std::fill_n(data<double>(out), n, std::numeric_limits<double>::quiet_NaN());
    return {};
  }
  return by_rows(
      threads, launch,
      [&](const Rows& rows) { losses(rows, data<float>(x), labels, data<float>(out)); },
      [&](const Rows& rows) { losses_f64(rows, data<double>(x), labels, data<double>(out)); });
}

Status run_cross_entropy_gradient(const program::Attributes&, int threads, const Launch& launch) {
  const TensorView &x = launch.inputs[0], &g = launch.inputs[2], &out = launch.outputs[0];
  const Labels labels(launch.inputs[1]);
  return by_rows(
      threads, launch,
      [&](const Rows& rows) {
        gradient(rows, data<float>(x), labels, data<float>(g), data<float>(out));
      },
      [&](const Rows& rows) {
        gradient_f64(rows, data<double>(x), labels, data<double>(g), data<double>(out));
      });
}

}  // namespace penstock::runtime::cpu
