#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// The lesser of both; NaN comes through. Equal operands share the gradient.
struct Minimum : MapOp<Minimum, 2> {
  static constexpr std::string_view name = "minimum";
  static constexpr std::string_view summary = "the lesser of lhs and rhs, element by element";
  static constexpr Kernel kernel = Kernel::map_minimum;
  static constexpr Elements elements = Elements::numbers;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr a(b, node.inputs[0]), c(b, node.inputs[1]), dy(b, g[0]);
    const Expr wins = (a < c).cast(a.type().dtype), ties = a.apply("equal", c).cast(a.type().dtype);
    const Expr da = dy * (wins + ties * 0.5);
    return {da, dy - da};
  }
};

}  // namespace penstock::program
