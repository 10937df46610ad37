#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// log(1 + x), exact near 0.
struct Log1p : MapOp<Log1p> {
  static constexpr std::string_view name = "log1p";
  static constexpr std::string_view summary = "log(1 + x), exact near 0";
  static constexpr Kernel kernel = Kernel::map_log1p;
  static constexpr ExampleRange range = {-0.9, 2};
  static constexpr double flop = 12;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy / (x + 1)};
  }
};

}  // namespace penstock::program
