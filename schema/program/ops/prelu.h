#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// lhs where it is positive, else rhs * lhs; broadcast a slope per channel. Source:
/// arXiv:1502.01852
struct Prelu : MapOp<Prelu, 2> {
  static constexpr std::string_view name = "prelu";
  static constexpr std::string_view summary =
      "x where it is positive, else slope * x, with a slope for each element";
  static constexpr double flop = 2;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {where(x > 0, x, x * Expr(b, node.inputs[1]))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), slope(b, node.inputs[1]), dy(b, g[0]);
    return {where(x > 0, dy, dy * slope), where(x > 0, dy.like(0), dy * x)};
  }
};

}  // namespace penstock::program
