#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// The angle of (x = rhs, y = lhs) in (-pi, pi].
struct Atan2 : MapOp<Atan2, 2> {
  static constexpr std::string_view name = "atan2";
  static constexpr std::string_view summary = "angle of the point (rhs, lhs), in radians";
  static constexpr Kernel kernel = Kernel::map_atan2;
  static constexpr double flop = 30;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr y(b, node.inputs[0]), x(b, node.inputs[1]), dy(b, g[0]);
    const Expr share = dy / (square(x) + square(y));
    return {share * x, -(share * y)};
  }
};

}  // namespace penstock::program
