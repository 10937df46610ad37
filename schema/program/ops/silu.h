#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// x / (1 + e^-x), also called swish. Source: arXiv:1702.03118
struct Silu : MapOp<Silu, 1> {
  static constexpr std::string_view name = "silu";
  static constexpr std::string_view summary = "x * sigmoid(x), element by element";
  static constexpr double flop = 8;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x * x.apply("sigmoid")};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    const Expr s = x.apply("sigmoid");
    return {dy * (s * (1 + x * (1 - s)))};
  }
};

}  // namespace penstock::program
