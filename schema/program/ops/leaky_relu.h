#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// max(x, 0) + slope * min(x, 0).
struct LeakyRelu : MapOp<LeakyRelu, 1> {
  static constexpr std::string_view name = "leaky_relu";
  static constexpr std::string_view summary = "x where it is positive, else slope * x";
  static constexpr double flop = 2;

  static std::vector<AttributeSpec> attributes() {
    return {{"slope", AttributeKind::real, Attribute(0.01)}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {where(x > 0, x, x * node.attributes.real("slope"))};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(1, Elements::floats),
                           {{{"slope", 0.01}}, {{"slope", 0.3}}});
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where(x > 0, dy, dy * node.attributes.real("slope"))};
  }
};

}  // namespace penstock::program
