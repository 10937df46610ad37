#pragma once

#include <cstdint>

namespace penstock::runtime::cpu {

/// The two dense forms that nearly all reductions take; everything else goes element by element.
/// Sums accumulate in double; columns are first added pairwise in groups of eight.

/// out[r] = sum or maximum over in[r, 0 .. columns).
void sum_rows(const float* in, std::int64_t rows, std::int64_t columns, float* out);
void sum_rows(const double* in, std::int64_t rows, std::int64_t columns, double* out);
void max_rows(const float* in, std::int64_t rows, std::int64_t columns, float* out);
void max_rows(const double* in, std::int64_t rows, std::int64_t columns, double* out);

/// out[c] = sum or maximum over in[0 .. rows, c], for c in [first, last) of `columns`.
struct ColumnRange {
  std::int64_t rows = 0, columns = 0;
  std::int64_t first = 0, last = 0;
};
void sum_columns(const float* in, const ColumnRange& range, float* out);
void sum_columns(const double* in, const ColumnRange& range, double* out);
void max_columns(const float* in, const ColumnRange& range, float* out);
void max_columns(const double* in, const ColumnRange& range, double* out);

}  // namespace penstock::runtime::cpu
