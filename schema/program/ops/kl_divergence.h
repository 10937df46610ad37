#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// t (log t - x) of each element for targets t and log-probabilities x; 0 where t is 0. The sum
/// over classes and the mean over rows is the divergence.
struct KlDivergence : MapOp<KlDivergence, 2> {
  static constexpr std::string_view name = "kl_divergence";
  static constexpr std::string_view summary = "rhs * (log(rhs) - lhs): lhs has logarithms";
  static constexpr double flop = 14;
  static constexpr ExampleRange range = {0.1, 1.5};

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const Expr t(b, node.inputs[1]);
    const Expr some = t > 0;
    return {where(some, t * (where(some, t, t.like(1)).apply("log") - x), t.like(0))};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), t(b, node.inputs[1]), dy(b, g[0]);
    const Expr some = t > 0;
    const Expr dt = where(some, where(some, t, t.like(1)).apply("log") - x + 1, t.like(0));
    return {-(dy * t), dy * dt};
  }
};

}  // namespace penstock::program
