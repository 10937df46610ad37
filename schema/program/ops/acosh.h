#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// inverse hyperbolic cosine.
struct Acosh : MapOp<Acosh> {
  static constexpr std::string_view name = "acosh";
  static constexpr std::string_view summary = "inverse hyperbolic cosine";
  static constexpr Kernel kernel = Kernel::map_acosh;
  static constexpr ExampleRange range = {1.1, 3};
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy * (square(x) - 1).apply("rsqrt")};
  }
};

}  // namespace penstock::program
