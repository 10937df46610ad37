#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// min(max(x, -1), 1).
struct Hardtanh : MapOp<Hardtanh, 1> {
  static constexpr std::string_view name = "hardtanh";
  static constexpr std::string_view summary = "x, but not below -1 nor above 1";
  static constexpr double flop = 2;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x.apply("maximum", x.like(-1)).apply("minimum", x.like(1))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where((x > -1.0).apply("logical_and", x < 1), dy, dy.like(0))};
  }
};

}  // namespace penstock::program
