#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// inverse hyperbolic tangent.
struct Atanh : MapOp<Atanh> {
  static constexpr std::string_view name = "atanh";
  static constexpr std::string_view summary = "inverse hyperbolic tangent";
  static constexpr Kernel kernel = Kernel::map_atanh;
  static constexpr ExampleRange range = {-0.95, 0.95};
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy / (1 - square(x))};
  }
};

}  // namespace penstock::program
