#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Source: arXiv:1704.07483
struct Celu : MapOp<Celu, 1> {
  static constexpr std::string_view name = "celu";
  static constexpr std::string_view summary = "max(x, 0) + min(alpha (e^(x / alpha) - 1), 0)";
  static constexpr double flop = 14;

  static std::vector<AttributeSpec> attributes() {
    return {{"alpha", AttributeKind::real, Attribute(1.0)}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const double alpha = node.attributes.real("alpha");
    return {where(x > 0, x, (x / alpha).apply("expm1") * alpha)};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(1, Elements::floats),
                           {{{"alpha", 1.0}}, {{"alpha", 0.4}}});
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where(x > 0, dy, dy * (x / node.attributes.real("alpha")).apply("exp"))};
  }
};

}  // namespace penstock::program
