#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// lhs^rhs; NaN for a negative lhs with a fractional rhs, as std::pow.
struct Pow : MapOp<Pow, 2> {
  static constexpr std::string_view name = "pow";
  static constexpr std::string_view summary = "lhs to the power rhs, element by element";
  static constexpr Kernel kernel = Kernel::map_pow;
  static constexpr ExampleRange range = {0.3, 2.5};
  static constexpr double flop = 30;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), e(b, node.inputs[1]), y(b, node.outputs[0]), dy(b, g[0]);
    return {dy * e * x.apply("pow", e - 1), dy * y * x.apply("log")};
  }
};

}  // namespace penstock::program
