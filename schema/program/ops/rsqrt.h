#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// 1 / square root of x.
struct Rsqrt : MapOp<Rsqrt> {
  static constexpr std::string_view name = "rsqrt";
  static constexpr std::string_view summary = "1 / square root of x";
  static constexpr Kernel kernel = Kernel::map_rsqrt;
  static constexpr ExampleRange range = {0.2, 3};
  static constexpr double flop = 4;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr y(b, node.outputs[0]), dy(b, g[0]);
    return {dy * (y * square(y)) * -0.5};
  }
};

}  // namespace penstock::program
