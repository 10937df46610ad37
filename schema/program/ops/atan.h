#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// arc tangent, in radians.
struct Atan : MapOp<Atan> {
  static constexpr std::string_view name = "atan";
  static constexpr std::string_view summary = "arc tangent, in radians";
  static constexpr Kernel kernel = Kernel::map_atan;
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy / (1 + square(x))};
  }
};

}  // namespace penstock::program
