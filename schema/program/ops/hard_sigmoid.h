#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// A sigmoid of straight lines.
struct HardSigmoid : MapOp<HardSigmoid, 1> {
  static constexpr std::string_view name = "hard_sigmoid";
  static constexpr std::string_view summary = "min(max(x / 6 + 1/2, 0), 1)";
  static constexpr double flop = 4;
  static constexpr ExampleRange range = {-5, 5};

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {(x / 6 + 0.5).apply("maximum", x.like(0)).apply("minimum", x.like(1))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where((x > -3.0).apply("logical_and", x < 3), dy / 6, dy.like(0))};
  }
};

}  // namespace penstock::program
