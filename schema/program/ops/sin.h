#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// sine; x in radians.
struct Sin : MapOp<Sin> {
  static constexpr std::string_view name = "sin";
  static constexpr std::string_view summary = "sine; x in radians";
  static constexpr Kernel kernel = Kernel::map_sin;
  static constexpr double flop = 12;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy * x.apply("cos")};
  }
};

}  // namespace penstock::program
