#include "sdk/src/apply.h"

#include <numeric>
#include <set>

#include "sdk/src/broadcast.h"
#include "sdk/src/graph.h"

namespace penstock::detail {

Value unary(std::string_view op, const Value& x, program::Attributes attributes) {
  const Value operands[] = {x};
  return apply(op, operands, std::move(attributes));
}

Value binary(std::string_view op, const Value& a, const Value& b, program::Attributes attributes) {
  const Value operands[] = {a, b};
  return apply(op, operands, std::move(attributes));
}

Value aligned(std::string_view op, const Value& a, const Value& b, program::Attributes attributes) {
  const auto both = align(op, a, b);
  return binary(op, both.first, both.second, std::move(attributes));
}

std::int64_t dim_of(std::string_view op, const Value& x, int dim) {
  const int rank = static_cast<int>(x.shape().size());
  const int from_zero = dim < 0 ? dim + rank : dim;
  if (from_zero < 0 || from_zero >= rank)
    throw Exception(invalid(std::string(op) + " of " + x.text() + ": there is no dimension " +
                            std::to_string(dim)));
  return from_zero;
}

Integers dims_of(std::string_view op, const Value& x, const Dims& dims) {
  std::set<std::int64_t> sorted;
  for (const int dim : dims)
    if (!sorted.insert(dim_of(op, x, dim)).second)
      throw Exception(invalid(std::string(op) + " of " + x.text() + ": dimension " +
                              std::to_string(dim) + " is given twice"));
  if (dims.empty()) {
    Integers all(x.shape().size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  return {sorted.begin(), sorted.end()};
}

Value reduce(std::string_view op, const Value& x, const Dims& dims,
             program::Attributes attributes) {
  Integers which = dims_of(op, x, dims);
  if (which.empty()) return x;  // a scalar
  attributes.set("dims", std::move(which));
  return unary(op, x, std::move(attributes));
}

}  // namespace penstock::detail
