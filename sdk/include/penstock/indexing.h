#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "penstock/program.h"

namespace penstock {

// Parts of values, values made of parts, and what goes by indices. A dimension is counted from 0;
// -1 is the last. The batch dimension cannot be cut: its rows lie on many devices. See
// penstock/ops.h for errors.

/// Elements [begin, end) of a dimension; by `step`, which may be negative: then from begin down to
/// above end.
Value slice(const Value& x, int dim, std::int64_t begin, std::int64_t end, std::int64_t step = 1);
/// One behind the other. Errors also if there are none
Value concat(const std::vector<Value>& values, int dim);
/// Along a new dimension.
Value stack(const std::vector<Value>& values, int dim = 0);
/// Into equal parts, or parts of these sizes, whose sum is that of the dimension.
std::vector<Value> split(const Value& x, std::int64_t parts, int dim);
std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes, int dim);
/// `low` elements before and `high` behind.
Value pad(const Value& x, int dim, std::int64_t low, std::int64_t high, double value = 0);
Value flip(const Value& x, int dim);
/// Element i goes to i + shift, around the end.
Value roll(const Value& x, std::int64_t shift, int dim);
/// A dimension of size 1 more, or less.
Value expand_dim(const Value& x, int dim);
Value squeeze(const Value& x, int dim);

/// 0, 1, .. size - 1 in the entry that `where` belongs to.
Value iota(const Value& where, std::int64_t size, DType dtype = i64);

/// Rows of a table. Shapes: table [v,d], indices [..] -> [..,d]; an index out of range gives NaN.
Value embedding(const Value& table, const Value& indices);
/// x[.., indices[..], ..] along dim; x and indices are alike in the other dimensions.
Value gather(const Value& x, const Value& indices, int dim);
/// x with `updates` in the places of `indices` along dim, or added there; updates have the shape of
/// the indices.
Value scatter(const Value& x, const Value& indices, const Value& updates, int dim);
Value scatter_add(const Value& x, const Value& indices, const Value& updates, int dim);

struct ScanOptions {
  bool exclusive = false;
  bool reverse = false;
};
Value cumulative_sum(const Value& x, int dim, ScanOptions options = {});

struct Sorted {
  Value values;
  Value indices;  // i64: where each came from
};
/// Equal elements stay in their order; NaN comes last.
Sorted sort(const Value& x, int dim = -1, bool descending = false);
/// The k largest, the largest first.
Sorted top_k(const Value& x, std::int64_t k, int dim = -1);

}  // namespace penstock
