#include "penstock/indexing.h"

#include "penstock/ops.h"
#include "sdk/src/apply.h"
#include "sdk/src/graph.h"

namespace penstock {
namespace {

using detail::dim_of;
using detail::unary;

std::int64_t extent_of(const Value& x, std::int64_t dim) {
  return x.shape()[static_cast<std::size_t>(dim)].bound;
}

Value part(const Value& x, std::int64_t dim, std::int64_t start, std::int64_t size,
           std::int64_t step = 1) {
  return unary("slice", x, {{"dim", dim}, {"start", start}, {"size", size}, {"step", step}});
}

/// A dimension of the result of an op that adds one.
std::int64_t new_dim(std::string_view op, const Value& x, int dim) {
  const int rank = static_cast<int>(x.shape().size());
  const int from_zero = dim < 0 ? dim + rank + 1 : dim;
  if (from_zero < 0 || from_zero > rank)
    throw Exception(invalid(std::string(op) + " of " + x.text() +
                            ": there is no place for dimension " + std::to_string(dim)));
  return from_zero;
}

Sorted sorted(const Value& x, std::int64_t dim, bool descending) {
  const Value operands[] = {x};
  const auto both = detail::apply_all("sort", operands, {{"dim", dim}, {"descending", descending}});
  return {both[0], both[1]};
}

Value by_indices(std::string_view op, const Value& x, const Value& indices, const Value& updates,
                 int dim) {
  const Value operands[] = {x, indices, updates};
  return detail::apply(op, operands, {{"dim", dim_of(op, x, dim)}});
}

}  // namespace

Value slice(const Value& x, int dim, std::int64_t begin, std::int64_t end, std::int64_t step) {
  const std::int64_t along = dim_of("slice", x, dim);
  if (step == 0) throw Exception(invalid("slice of " + x.text() + ": a step of 0"));
  const std::int64_t span = step > 0 ? end - begin : begin - end;
  const std::int64_t by = step > 0 ? step : -step;
  if (span < 0)
    throw Exception(invalid("slice of " + x.text() + ": from " + std::to_string(begin) + " to " +
                            std::to_string(end) + " by " + std::to_string(step) +
                            " there is nothing"));
  return part(x, along, begin, (span + by - 1) / by, step);
}

Value concat(const std::vector<Value>& values, int dim) {
  if (values.empty()) throw Exception(invalid("concat: no values"));
  return detail::apply("concat", values, {{"dim", dim_of("concat", values[0], dim)}});
}

Value stack(const std::vector<Value>& values, int dim) {
  if (values.empty()) throw Exception(invalid("stack: no values"));
  std::vector<Value> longer;
  const auto at = static_cast<int>(new_dim("stack", values[0], dim));
  for (const Value& value : values) longer.push_back(expand_dim(value, at));
  return concat(longer, at);
}

std::vector<Value> split(const Value& x, std::int64_t parts, int dim) {
  const std::int64_t size = extent_of(x, dim_of("split", x, dim));
  if (parts < 1 || size % parts != 0)
    throw Exception(invalid("split of " + x.text() + ": " + std::to_string(parts) +
                            " parts do not divide " + std::to_string(size)));
  return split(x, std::vector<std::int64_t>(static_cast<std::size_t>(parts), size / parts), dim);
}

std::vector<Value> split(const Value& x, const std::vector<std::int64_t>& sizes, int dim) {
  const std::int64_t along = dim_of("split", x, dim);
  std::vector<Value> out;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    out.push_back(part(x, along, size == 0 ? 0 : begin, size));
    begin += size;
  }
  if (begin != extent_of(x, along))
    throw Exception(invalid("split of " + x.text() + ": the parts sum to " + std::to_string(begin) +
                            ", the dimension has " + std::to_string(extent_of(x, along))));
  return out;
}

Value pad(const Value& x, int dim, std::int64_t low, std::int64_t high, double value) {
  return unary("pad", x,
               {{"dim", dim_of("pad", x, dim)},
                {"low", low},
                {"high", high},
                {"interior", std::int64_t{0}},
                {"value", value}});
}

Value flip(const Value& x, int dim) {
  const std::int64_t along = dim_of("flip", x, dim);
  const std::int64_t size = extent_of(x, along);
  return size < 2 ? x : part(x, along, size - 1, size, -1);
}

Value roll(const Value& x, std::int64_t shift, int dim) {
  const std::int64_t along = dim_of("roll", x, dim);
  const std::int64_t size = extent_of(x, along);
  if (size == 0) return x;
  const std::int64_t first =
      ((-shift % size) + size) % size;  // the element that comes to the front
  if (first == 0) return x;
  return concat({part(x, along, first, size - first), part(x, along, 0, first)},
                static_cast<int>(along));
}

Value expand_dim(const Value& x, int dim) {
  Shape shape = x.shape();
  shape.insert(shape.begin() + new_dim("expand_dim", x, dim), Dim(1));
  return reshape(x, shape);
}

Value squeeze(const Value& x, int dim) {
  const std::int64_t along = dim_of("squeeze", x, dim);
  Shape shape = x.shape();
  if (extent_of(x, along) != 1 || shape[static_cast<std::size_t>(along)].dynamic)
    throw Exception(invalid("squeeze of " + x.text() + ": dimension " + std::to_string(along) +
                            " is not of size 1"));
  shape.erase(shape.begin() + along);
  return reshape(x, shape);
}

Value iota(const Value& where, std::int64_t size, DType dtype) {
  return detail::apply_in(where, "iota", {{"size", size}, {"dtype", dtype}});
}

Value embedding(const Value& table, const Value& indices) {
  return detail::binary("embedding", table, indices);
}

Value gather(const Value& x, const Value& indices, int dim) {
  return detail::binary("gather", x, indices, {{"dim", dim_of("gather", x, dim)}});
}

Value scatter(const Value& x, const Value& indices, const Value& updates, int dim) {
  return by_indices("scatter", x, indices, updates, dim);
}

Value scatter_add(const Value& x, const Value& indices, const Value& updates, int dim) {
  return by_indices("scatter_add", x, indices, updates, dim);
}

Value cumulative_sum(const Value& x, int dim, ScanOptions options) {
  return unary("cumulative_sum", x,
               {{"dim", dim_of("cumulative_sum", x, dim)},
                {"exclusive", options.exclusive},
                {"reverse", options.reverse}});
}

Sorted sort(const Value& x, int dim, bool descending) {
  return sorted(x, dim_of("sort", x, dim), descending);
}

Sorted top_k(const Value& x, std::int64_t k, int dim) {
  const std::int64_t along = dim_of("top_k", x, dim);
  const Sorted all = sorted(x, along, true);
  return {part(all.values, along, 0, k), part(all.indices, along, 0, k)};
}

}  // namespace penstock
