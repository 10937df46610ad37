#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// x * Phi(x) by the error function, or with `tanh` its approximation
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). Source: arXiv:1606.08415
struct Gelu : MapOp<Gelu, 1> {
  static constexpr std::string_view name = "gelu";
  static constexpr std::string_view summary = "x times the normal distribution function of x";
  static constexpr double flop = 24;

  static std::vector<AttributeSpec> attributes() {
    return {{"tanh", AttributeKind::boolean, Attribute(false)}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    if (!node.attributes.boolean("tanh")) return {x * ((x * kRootHalf).apply("erf") + 1) * 0.5};
    return {x * (inner(x).apply("tanh") + 1) * 0.5};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(1, Elements::floats),
                           {{{"tanh", false}}, {{"tanh", true}}});
  }

  static constexpr double kRootHalf = 0.70710678118654752;
  static constexpr double kInverseRootTwoPi = 0.39894228040143268;
  static constexpr double kRootTwoOverPi = 0.79788456080286536;
  static constexpr double kCubic = 0.044715;
  static Expr inner(Expr x) { return (x + x * square(x) * kCubic) * kRootTwoOverPi; }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    if (!node.attributes.boolean("tanh")) {
      const Expr cdf = ((x * kRootHalf).apply("erf") + 1) * 0.5;
      const Expr density = (square(x) * -0.5).apply("exp") * kInverseRootTwoPi;
      return {dy * (cdf + x * density)};
    }
    const Expr t = inner(x).apply("tanh");
    const Expr slope = (1 - square(t)) * ((square(x) * (3 * kCubic) + 1) * kRootTwoOverPi);
    return {dy * ((t + 1) * 0.5 + x * slope * 0.5)};
  }
};

}  // namespace penstock::program
