#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// hyperbolic sine.
struct Sinh : MapOp<Sinh> {
  static constexpr std::string_view name = "sinh";
  static constexpr std::string_view summary = "hyperbolic sine";
  static constexpr Kernel kernel = Kernel::map_sinh;
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy * x.apply("cosh")};
  }
};

}  // namespace penstock::program
