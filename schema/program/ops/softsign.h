#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// A sigmoid without exponentials.
struct Softsign : MapOp<Softsign, 1> {
  static constexpr std::string_view name = "softsign";
  static constexpr std::string_view summary = "x / (1 + |x|)";
  static constexpr double flop = 3;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x / (x.apply("abs") + 1)};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy / square(x.apply("abs") + 1)};
  }
};

}  // namespace penstock::program
