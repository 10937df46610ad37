#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// 1 / x, element by element.
struct Reciprocal : MapOp<Reciprocal> {
  static constexpr std::string_view name = "reciprocal";
  static constexpr std::string_view summary = "1 / x, element by element";
  static constexpr Kernel kernel = Kernel::map_reciprocal;
  static constexpr ExampleRange range = {0.3, 3};

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr y(b, node.outputs[0]), dy(b, g[0]);
    return {-(dy * square(y))};
  }
};

}  // namespace penstock::program
