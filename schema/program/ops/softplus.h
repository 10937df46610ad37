#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// log(1 + e^z) without overflow.
inline Expr stable_softplus(Expr z) {
  return z.apply("relu") + (-z.apply("abs")).apply("exp").apply("log1p");
}

/// A smooth relu.
struct Softplus : MapOp<Softplus, 1> {
  static constexpr std::string_view name = "softplus";
  static constexpr std::string_view summary = "log(1 + e^(beta x)) / beta, without overflow";
  static constexpr double flop = 28;

  static std::vector<AttributeSpec> attributes() {
    return {{"beta", AttributeKind::real, Attribute(1.0)}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const double beta = node.attributes.real("beta");
    return {stable_softplus(x * beta) / beta};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(1, Elements::floats),
                           {{{"beta", 1.0}}, {{"beta", 2.5}}});
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy * (x * node.attributes.real("beta")).apply("sigmoid")};
  }
};

}  // namespace penstock::program
