#pragma once

#include <string_view>
#include <utility>

#include "penstock/ops.h"

namespace penstock::detail {

/// The shape that both stretch to by numpy's rules.
/// Errors: invalid_argument naming `op` and both shapes
Result<Shape> broadcast_shape(std::string_view op, const Shape& a, const Shape& b);

/// `x` repeated to `shape`; `x` itself if it has that shape.
Value broadcast_value(std::string_view op, const Value& x, const Shape& shape);

/// Both operands at their common shape.
std::pair<Value, Value> align(std::string_view op, const Value& a, const Value& b);

/// Two operands of matmul with equal leading dimensions, or as they are where that is not needed.
/// Errors: Exception naming both shapes
std::pair<Value, Value> align_matrices(const Value& a, const Value& b);

}  // namespace penstock::detail
