#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Source: arXiv:1905.02244
struct HardSwish : MapOp<HardSwish, 1> {
  static constexpr std::string_view name = "hard_swish";
  static constexpr std::string_view summary = "x * hard_sigmoid(x)";
  static constexpr double flop = 5;
  static constexpr ExampleRange range = {-5, 5};

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x * (x / 6 + 0.5).apply("maximum", x.like(0)).apply("minimum", x.like(1))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    const Expr inside = (x > -3.0).apply("logical_and", x < 3);
    return {dy * where(inside, x / 3 + 0.5, (x > 0).cast(x.type().dtype))};
  }
};

}  // namespace penstock::program
