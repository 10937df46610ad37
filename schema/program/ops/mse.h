#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Squared error of each element; the mean of it is the loss.
struct Mse : MapOp<Mse, 2> {
  static constexpr std::string_view name = "mse";
  static constexpr std::string_view summary = "(lhs - rhs)^2, element by element";
  static constexpr double flop = 2;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {square(x - Expr(b, node.inputs[1]))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), t(b, node.inputs[1]), dy(b, g[0]);
    const Expr dx = dy * (x - t) * 2;
    return {dx, -dx};
  }
};

}  // namespace penstock::program
