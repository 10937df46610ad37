#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// -(t log p + (1 - t) log(1 - p)) of each element, each logarithm not below -100, as torch has it.
struct Bce : MapOp<Bce, 2> {
  static constexpr std::string_view name = "bce";
  static constexpr std::string_view summary =
      "binary cross-entropy of probabilities lhs and targets rhs";
  static constexpr double flop = 30;
  static constexpr ExampleRange range = {0.05, 0.95};

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const Expr t(b, node.inputs[1]);
    const Expr low = x.like(-100);
    const Expr yes = x.apply("log").apply("maximum", low),
               no = (1 - x).apply("log").apply("maximum", low);
    return {-(t * yes + (1 - t) * no)};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr p(b, node.inputs[0]), t(b, node.inputs[1]), dy(b, g[0]);
    const Expr low = p.like(-100);
    const Expr yes = p.apply("log").apply("maximum", low),
               no = (1 - p).apply("log").apply("maximum", low);
    const Expr spread = (p * (1 - p)).apply("maximum", p.like(1e-12));
    return {dy * (p - t) / spread, dy * (no - yes)};
  }
};

}  // namespace penstock::program
