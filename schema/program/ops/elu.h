#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Source: arXiv:1511.07289
struct Elu : MapOp<Elu, 1> {
  static constexpr std::string_view name = "elu";
  static constexpr std::string_view summary = "x where it is positive, else alpha (e^x - 1)";
  static constexpr double flop = 14;

  static std::vector<AttributeSpec> attributes() {
    return {{"alpha", AttributeKind::real, Attribute(1.0)}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {where(x > 0, x, x.apply("expm1") * node.attributes.real("alpha"))};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(1, Elements::floats),
                           {{{"alpha", 1.0}}, {{"alpha", 0.4}}});
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where(x > 0, dy, dy * x.apply("exp") * node.attributes.real("alpha"))};
  }
};

}  // namespace penstock::program
