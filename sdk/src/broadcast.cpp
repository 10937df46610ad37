#include "sdk/src/broadcast.h"

#include <algorithm>
#include <vector>

#include "schema/program/ops/broadcast.h"
#include "sdk/src/graph.h"

namespace penstock::detail {
namespace {

bool stretches(const Dim& dim) {
  return dim.bound == 1 && !dim.dynamic;
}

}  // namespace

Result<Shape> broadcast_shape(std::string_view op, const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape shape(rank);
  for (std::size_t i = 0; i < rank; ++i) {  // from the right
    const Dim one(1);
    const Dim& x = i < a.size() ? a[a.size() - 1 - i] : one;
    const Dim& y = i < b.size() ? b[b.size() - 1 - i] : one;
    if (x != y && !stretches(x) && !stretches(y))
      return invalid(std::string(op) + ": shapes " + program::to_text(a) + " and " +
                     program::to_text(b) +
                     " do not fit: aligned at the right, extents must be equal or 1");
    shape[rank - 1 - i] = stretches(x) ? y : x;
  }
  return shape;
}

Value broadcast_value(std::string_view op, const Value& x, const Shape& shape) {
  const Shape from = x.shape();
  if (from == shape) return x;
  const Shape common = value_or_throw(broadcast_shape(op, from, shape));
  if (common != shape)
    throw Exception(invalid(std::string(op) + ": " + program::to_text(from) +
                            " does not stretch to " + program::to_text(shape)));
  const std::size_t offset = shape.size() - from.size();
  Shape kept;
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (stretches(from[i]) && from[i] != shape[offset + i]) continue;
    kept.push_back(from[i]);
    dims.push_back(static_cast<std::int64_t>(offset + i));
  }
  const Value narrow = kept.size() == from.size() ? x : reshape(x, kept);
  const Value operands[] = {narrow};
  return apply("broadcast", operands, program::Broadcast::to(shape, std::move(dims)));
}

std::pair<Value, Value> align(std::string_view op, const Value& a, const Value& b) {
  const Shape shape = value_or_throw(broadcast_shape(op, a.shape(), b.shape()));
  return {broadcast_value(op, GraphAccess::bind(a, b), shape),
          broadcast_value(op, GraphAccess::bind(b, a), shape)};
}

std::pair<Value, Value> align_matrices(const Value& a, const Value& b) {
  const Shape left = a.shape(), right = b.shape();
  if (left.size() < 2 || right.size() < 2 || right.size() == 2) return {a, b};
  const auto leading = [](const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); };
  if (leading(left) == leading(right)) return {a, b};
  const Shape common = value_or_throw(broadcast_shape("matmul", leading(left), leading(right)));
  const auto stretched = [&](const Value& value, const Shape& shape) {
    Shape to = common;
    to.insert(to.end(), shape.end() - 2, shape.end());
    return broadcast_value("matmul", value, to);
  };
  return {stretched(GraphAccess::bind(a, b), left), stretched(GraphAccess::bind(b, a), right)};
}

}  // namespace penstock::detail
