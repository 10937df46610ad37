#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// 0.5 d^2 where |d| <= delta, else delta (|d| - delta / 2), with d = lhs - rhs.
struct Huber : MapOp<Huber, 2> {
  static constexpr std::string_view name = "huber";
  static constexpr std::string_view summary = "half squared error below delta, a line above it";
  static constexpr double flop = 5;

  static std::vector<AttributeSpec> attributes() {
    return {{"delta", AttributeKind::real, Attribute(1.0)}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const double delta = node.attributes.real("delta");
    const Expr d = (x - Expr(b, node.inputs[1])).apply("abs");
    return {where(d > delta, (d - delta / 2) * delta, square(d) * 0.5)};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(2, Elements::floats),
                           {{{"delta", 1.0}}, {{"delta", 0.3}}});
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const double delta = node.attributes.real("delta");
    const Expr x(b, node.inputs[0]), t(b, node.inputs[1]), dy(b, g[0]);
    const Expr dx = dy * (x - t).apply("clamp", {{"low", -delta}, {"high", delta}});
    return {dx, -dx};
  }
};

}  // namespace penstock::program
