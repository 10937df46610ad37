#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Source: arXiv:1704.04861
struct Relu6 : MapOp<Relu6, 1> {
  static constexpr std::string_view name = "relu6";
  static constexpr std::string_view summary = "min(max(x, 0), 6)";
  static constexpr double flop = 2;
  static constexpr ExampleRange range = {-4, 9};

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x.apply("relu").apply("minimum", x.like(6))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where((x > 0).apply("logical_and", x < 6), dy, dy.like(0))};
  }
};

}  // namespace penstock::program
