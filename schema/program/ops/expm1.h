#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// e^x - 1, exact near 0.
struct Expm1 : MapOp<Expm1> {
  static constexpr std::string_view name = "expm1";
  static constexpr std::string_view summary = "e^x - 1, exact near 0";
  static constexpr Kernel kernel = Kernel::map_expm1;
  static constexpr double flop = 12;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr y(b, node.outputs[0]), dy(b, g[0]);
    return {dy * (y + 1)};
  }
};

}  // namespace penstock::program
