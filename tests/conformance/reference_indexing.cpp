#include <algorithm>
#include <numeric>

#include "tests/conformance/reference.h"

// Slices, joins, and what goes by indices: element by element, from the definitions.

namespace penstock::conformance {
namespace {

using Index = std::vector<std::int64_t>;

std::size_t dim_of(const ReferenceCall& call) {
  return static_cast<std::size_t>(call.attributes.integer("dim"));
}

double& element(Array& array, const Index& index) {
  return array.values[static_cast<std::size_t>(ravel(index, sizes(array)))];
}
double element(const Array& array, const Index& index) {
  return array.values[static_cast<std::size_t>(ravel(index, sizes(array)))];
}

/// Calls f(index) for every element.
template <class F>
void each(const Array& array, F f) {
  const Index extents = sizes(array);
  for (std::int64_t n = 0; n < count(extents); ++n) f(unravel(n, extents));
}

Array like(const Array& x, std::size_t dim, std::int64_t size) {
  program::Shape shape = x.type.shape;
  shape[dim] = size;
  return zeros(x.type.dtype, shape);
}

std::vector<Array> slice(const ReferenceCall& call) {
  const std::size_t dim = dim_of(call);
  Array out = like(call.operands[0], dim, call.attributes.integer("size"));
  each(out, [&](Index index) {
    Index from = index;
    from[dim] = call.attributes.integer("start") + index[dim] * call.attributes.integer("step");
    element(out, index) = element(call.operands[0], from);
  });
  return {out};
}

std::vector<Array> pad(const ReferenceCall& call) {
  const std::size_t dim = dim_of(call);
  const Array& x = call.operands[0];
  const std::int64_t step = call.attributes.integer("interior") + 1;
  const std::int64_t n = size(x, dim);
  Array out = like(x, dim,
                   call.attributes.integer("low") + (n > 0 ? (n - 1) * step + 1 : 0) +
                       call.attributes.integer("high"));
  for (double& value : out.values) value = call.attributes.real("value");
  each(x, [&](Index index) {
    Index to = index;
    to[dim] = call.attributes.integer("low") + index[dim] * step;
    element(out, to) = element(x, index);
  });
  return {out};
}

std::vector<Array> concat(const ReferenceCall& call) {
  const std::size_t dim = dim_of(call);
  std::int64_t total = 0, before = 0;
  for (const Array& x : call.operands) total += size(x, dim);
  Array out = like(call.operands[0], dim, total);
  for (const Array& x : call.operands) {
    each(x, [&](Index index) {
      Index to = index;
      to[dim] += before;
      element(out, to) = element(x, index);
    });
    before += size(x, dim);
  }
  return {out};
}

std::vector<Array> iota(const ReferenceCall& call) {
  Array out = zeros(call.attributes.dtype("dtype"), {call.attributes.integer("size")});
  std::iota(out.values.begin(), out.values.end(), 0.0);
  return {out};
}

std::vector<Array> embedding(const ReferenceCall& call) {
  const Array &table = call.operands[0], &indices = call.operands[1];
  program::Shape shape = indices.type.shape;
  shape.push_back(table.type.shape[1]);
  Array out = zeros(table.type.dtype, shape);
  each(out, [&](Index index) {
    const Index which(index.begin(), index.end() - 1);
    element(out, index) =
        element(table, {static_cast<std::int64_t>(element(indices, which)), index.back()});
  });
  return {out};
}

std::vector<Array> embedding_gradient(const ReferenceCall& call) {
  const Array &indices = call.operands[0], &g = call.operands[1];
  Array out = zeros(g.type.dtype, {call.attributes.integer("rows"), g.type.shape.back()});
  each(g, [&](Index index) {
    const Index which(index.begin(), index.end() - 1);
    element(out, {static_cast<std::int64_t>(element(indices, which)), index.back()}) +=
        element(g, index);
  });
  return {out};
}

std::vector<Array> gather(const ReferenceCall& call) {
  const Array &x = call.operands[0], &indices = call.operands[1];
  Array out = zeros(x.type.dtype, indices.type.shape);
  each(out, [&](Index index) {
    Index from = index;
    from[dim_of(call)] = static_cast<std::int64_t>(element(indices, index));
    element(out, index) = element(x, from);
  });
  return {out};
}

template <class F>
std::vector<Array> scattered(const ReferenceCall& call, F change) {
  Array out = call.operands[0];
  const Array &indices = call.operands[1], &updates = call.operands[2];
  each(updates, [&](Index index) {
    Index to = index;
    to[dim_of(call)] = static_cast<std::int64_t>(element(indices, index));
    change(element(out, to), element(updates, index));
  });
  return {out};
}

std::vector<Array> cumulative_sum(const ReferenceCall& call) {
  const std::size_t dim = dim_of(call);
  const Array& x = call.operands[0];
  const bool reverse = call.attributes.boolean("reverse");
  const bool exclusive = call.attributes.boolean("exclusive");
  Array out = like(x, dim, size(x, dim));
  each(out, [&](Index index) {
    for (std::int64_t j = 0; j < size(x, dim); ++j) {
      const std::int64_t ahead = reverse ? j - index[dim] : index[dim] - j;
      if (ahead < 0 || (exclusive && ahead == 0)) continue;
      Index from = index;
      from[dim] = j;
      element(out, index) += element(x, from);
    }
  });
  return {out};
}

/// By counting, for each element, those that come before it.
std::vector<Array> sort(const ReferenceCall& call) {
  const std::size_t dim = dim_of(call);
  const Array& x = call.operands[0];
  const bool descending = call.attributes.boolean("descending");
  Array values = x, indices = zeros(program::DType::i64, x.type.shape);
  each(x, [&](Index index) {
    const double own = element(x, index);
    Index to = index;
    to[dim] = 0;
    for (std::int64_t j = 0; j < size(x, dim); ++j) {
      Index other = index;
      other[dim] = j;
      const double value = element(x, other);
      const bool less = descending ? value > own : value < own;
      if (less || (value == own && j < index[dim])) ++to[dim];
    }
    element(values, to) = own;
    element(indices, to) = static_cast<double>(index[dim]);
  });
  return {values, indices};
}

}  // namespace

std::vector<NamedReference> indexing_references() {
  using Call = const ReferenceCall&;
  return {
      {"slice", slice},
      {"pad", pad},
      {"concat", concat},
      {"iota", iota},
      {"embedding", embedding},
      {"embedding_gradient", embedding_gradient},
      {"gather", gather},
      {"scatter_add",
       [](Call call) { return scattered(call, [](double& to, double by) { to += by; }); }},
      {"scatter",
       [](Call call) { return scattered(call, [](double& to, double by) { to = by; }); }},
      {"cumulative_sum", cumulative_sum},
      {"sort", sort},
  };
}

}  // namespace penstock::conformance
