#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// max(x, 0) - x t + log(1 + e^-|x|) of each element: no overflow.
struct BceWithLogits : MapOp<BceWithLogits, 2> {
  static constexpr std::string_view name = "bce_with_logits";
  static constexpr std::string_view summary = "binary cross-entropy of logits lhs and targets rhs";
  static constexpr double flop = 30;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const Expr t(b, node.inputs[1]);
    return {x.apply("relu") - x * t + (-x.apply("abs")).apply("exp").apply("log1p")};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), t(b, node.inputs[1]), dy(b, g[0]);
    return {dy * (x.apply("sigmoid") - t), -(dy * x)};
  }
};

}  // namespace penstock::program
