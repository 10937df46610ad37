#pragma once

#include <limits>

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// Either bound may be infinite. The gradient passes where low <= x <= high.
struct Clamp : MapOp<Clamp, 1> {
  static constexpr std::string_view name = "clamp";
  static constexpr std::string_view summary = "x, but not below low nor above high";
  static constexpr double flop = 2;

  static std::vector<AttributeSpec> attributes() {
    return {{"low", AttributeKind::real}, {"high", AttributeKind::real}};
  }

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const Expr low = x.like(node.attributes.real("low")),
               high = x.like(node.attributes.real("high"));
    return {x.apply("maximum", low).apply("minimum", high)};
  }

  static std::vector<Example> examples() {
    return with_attributes(pointwise_examples(1, Elements::floats),
                           {{{"low", -1.0}, {"high", 0.5}},
                            {{"low", 0.0}, {"high", std::numeric_limits<double>::infinity()}}});
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    const Expr low = x.like(node.attributes.real("low")),
               high = x.like(node.attributes.real("high"));
    const Expr inside =
        x.apply("greater_equal", low).apply("logical_and", x.apply("less_equal", high));
    return {where(inside, dy, dy.like(0))};
  }
};

}  // namespace penstock::program
