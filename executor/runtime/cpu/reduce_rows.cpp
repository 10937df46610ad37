#include "executor/runtime/cpu/reduce_rows.h"

#include <algorithm>
#include <limits>

#include "executor/runtime/cpu/vectorize.h"

namespace penstock::runtime::cpu {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kTree =
    8;  // rows added pairwise in the element type: an error of 3 roundings
constexpr std::int64_t kColumns = 256;  // accumulators that stay in the first cache

template <class T>
PENSTOCK_INLINE T larger(T a, T b) {  // a NaN on either side comes through
  const T largest = a > b ? a : b;    // two steps, or g++ sees a branch that it cannot vectorise
  return a != a ? a : largest;
}

// Lanes are summed apart and combined at the end in a fixed order: vectorised without giving the
// compiler leave to reorder, and the same result on every instruction set.
template <class T>
PENSTOCK_INLINE void sum_rows_of(const T* in, std::int64_t rows, std::int64_t columns, T* out) {
  for (std::int64_t r = 0; r < rows; ++r, in += columns) {
    double lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= columns; i += kLanes) {
      for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] += static_cast<double>(in[i + l]);
    }
    double total = 0;
    for (double lane : lanes) total += lane;
    for (; i < columns; ++i) total += static_cast<double>(in[i]);
    out[r] = static_cast<T>(total);
  }
}

template <class T>
PENSTOCK_INLINE void max_rows_of(const T* in, std::int64_t rows, std::int64_t columns, T* out) {
  for (std::int64_t r = 0; r < rows; ++r, in += columns) {
    T lanes[kLanes];
    for (T& lane : lanes) lane = -std::numeric_limits<T>::infinity();
    std::int64_t i = 0;
    for (; i + kLanes <= columns; i += kLanes) {
      for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = larger(in[i + l], lanes[l]);
    }
    T largest = -std::numeric_limits<T>::infinity();
    for (T lane : lanes) largest = larger(lane, largest);
    for (; i < columns; ++i) largest = larger(in[i], largest);
    out[r] = largest;
  }
}

template <class T>
PENSTOCK_INLINE void sum_columns_of(const T* in, const ColumnRange& range, T* out) {
  for (std::int64_t c0 = range.first; c0 < range.last; c0 += kColumns) {
    const std::int64_t n = std::min(kColumns, range.last - c0);
    double sums[kColumns] = {};
    const T* row = in + c0;
    std::int64_t r = 0;
    for (; r + kTree <= range.rows; r += kTree, row += kTree * range.columns) {
      const std::int64_t next = range.columns;
      for (std::int64_t i = 0; i < n; ++i) {
        const T* x = row + i;
        const T low = (x[0] + x[next]) + (x[2 * next] + x[3 * next]);
        const T high = (x[4 * next] + x[5 * next]) + (x[6 * next] + x[7 * next]);
        sums[i] += static_cast<double>(low + high);
      }
    }
    for (; r < range.rows; ++r, row += range.columns) {
      for (std::int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(row[i]);
    }
    for (std::int64_t i = 0; i < n; ++i) out[c0 + i] = static_cast<T>(sums[i]);
  }
}

template <class T>
PENSTOCK_INLINE void max_columns_of(const T* in, const ColumnRange& range, T* out) {
  for (std::int64_t c = range.first; c < range.last; ++c) {
    out[c] = -std::numeric_limits<T>::infinity();
  }
  for (std::int64_t r = 0; r < range.rows; ++r) {
    const T* row = in + r * range.columns;
    PENSTOCK_INDEPENDENT
    for (std::int64_t c = range.first; c < range.last; ++c) out[c] = larger(row[c], out[c]);
  }
}

PENSTOCK_CLONES void sum_rows_f32(const float* in, std::int64_t rows, std::int64_t columns,
                                  float* out) {
  sum_rows_of(in, rows, columns, out);
}
PENSTOCK_CLONES void sum_rows_f64(const double* in, std::int64_t rows, std::int64_t columns,
                                  double* out) {
  sum_rows_of(in, rows, columns, out);
}
PENSTOCK_CLONES void max_rows_f32(const float* in, std::int64_t rows, std::int64_t columns,
                                  float* out) {
  max_rows_of(in, rows, columns, out);
}
PENSTOCK_CLONES void max_rows_f64(const double* in, std::int64_t rows, std::int64_t columns,
                                  double* out) {
  max_rows_of(in, rows, columns, out);
}
PENSTOCK_CLONES void sum_columns_f32(const float* in, const ColumnRange& range, float* out) {
  sum_columns_of(in, range, out);
}
PENSTOCK_CLONES void sum_columns_f64(const double* in, const ColumnRange& range, double* out) {
  sum_columns_of(in, range, out);
}
PENSTOCK_CLONES void max_columns_f32(const float* in, const ColumnRange& range, float* out) {
  max_columns_of(in, range, out);
}
PENSTOCK_CLONES void max_columns_f64(const double* in, const ColumnRange& range, double* out) {
  max_columns_of(in, range, out);
}

}  // namespace

void sum_rows(const float* in, std::int64_t rows, std::int64_t columns, float* out) {
  sum_rows_f32(in, rows, columns, out);
}
void sum_rows(const double* in, std::int64_t rows, std::int64_t columns, double* out) {
  sum_rows_f64(in, rows, columns, out);
}
void max_rows(const float* in, std::int64_t rows, std::int64_t columns, float* out) {
  max_rows_f32(in, rows, columns, out);
}
void max_rows(const double* in, std::int64_t rows, std::int64_t columns, double* out) {
  max_rows_f64(in, rows, columns, out);
}
void sum_columns(const float* in, const ColumnRange& range, float* out) {
  sum_columns_f32(in, range, out);
}
void sum_columns(const double* in, const ColumnRange& range, double* out) {
  sum_columns_f64(in, range, out);
}
void max_columns(const float* in, const ColumnRange& range, float* out) {
  max_columns_f32(in, range, out);
}
void max_columns(const double* in, const ColumnRange& range, double* out) {
  max_columns_f64(in, range, out);
}

}  // namespace penstock::runtime::cpu
