#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// |x|, element by element.
struct Abs : MapOp<Abs> {
  static constexpr std::string_view name = "abs";
  static constexpr std::string_view summary = "|x|, element by element";
  static constexpr Kernel kernel = Kernel::map_abs;
  static constexpr Elements elements = Elements::signed_numbers;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {dy * x.apply("sign")};
  }
};

}  // namespace penstock::program
