#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// hyperbolic cosine.
struct Cosh : MapOp<Cosh> {
  static constexpr std::string_view name = "cosh";
  static constexpr std::string_view summary = "hyperbolic cosine";
  static constexpr Kernel kernel = Kernel::map_cosh;
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy * x.apply("sinh")};
  }
};

}  // namespace penstock::program
