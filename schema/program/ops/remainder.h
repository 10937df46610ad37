#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Python's and torch's remainder: the result has the sign of rhs.
struct Remainder : MapOp<Remainder, 2> {
  static constexpr std::string_view name = "remainder";
  static constexpr std::string_view summary =
      "lhs - rhs * floor(lhs / rhs): it has the sign of rhs";
  static constexpr Kernel kernel = Kernel::map_remainder;
  static constexpr ExampleRange range = {0.3, 2.5};
  static constexpr double flop = 4;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr a(b, node.inputs[0]), c(b, node.inputs[1]), dy(b, g[0]);
    return {dy, -(dy * (a / c).apply("floor"))};
  }
};

}  // namespace penstock::program
