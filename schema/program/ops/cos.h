#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// cosine; x in radians.
struct Cos : MapOp<Cos> {
  static constexpr std::string_view name = "cos";
  static constexpr std::string_view summary = "cosine; x in radians";
  static constexpr Kernel kernel = Kernel::map_cos;
  static constexpr double flop = 12;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {-(dy * x.apply("sin"))};
  }
};

}  // namespace penstock::program
