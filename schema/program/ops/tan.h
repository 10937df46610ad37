#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// tangent; x in radians.
struct Tan : MapOp<Tan> {
  static constexpr std::string_view name = "tan";
  static constexpr std::string_view summary = "tangent; x in radians";
  static constexpr Kernel kernel = Kernel::map_tan;
  static constexpr ExampleRange range = {-1.3, 1.3};
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr y(b, node.outputs[0]), dy(b, g[0]);
    return {dy * (1 + square(y))};
  }
};

}  // namespace penstock::program
