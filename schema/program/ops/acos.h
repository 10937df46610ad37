#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// arc cosine, in radians.
struct Acos : MapOp<Acos> {
  static constexpr std::string_view name = "acos";
  static constexpr std::string_view summary = "arc cosine, in radians";
  static constexpr Kernel kernel = Kernel::map_acos;
  static constexpr ExampleRange range = {-0.95, 0.95};
  static constexpr double flop = 16;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {-(dy * (1 - square(x)).apply("rsqrt"))};
  }
};

}  // namespace penstock::program
