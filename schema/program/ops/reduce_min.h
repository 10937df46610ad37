#pragma once

#include "schema/program/ops/reduce_op.h"

namespace penstock::program {

/// The least element along dims; equal ones share the gradient. Of no elements: infinity.
struct ReduceMin : ReduceOp<ReduceMin> {
  static constexpr std::string_view name = "reduce_min";
  static constexpr std::string_view summary = "minimum over dims, which disappear";
  static constexpr Elements elements = Elements::signed_numbers;
  static constexpr bool of_none = false;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    return {-(-x).apply("reduce_max", {{"dims", dims}})};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), y(b, node.outputs[0]), dy(b, g[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    const Expr least = x.apply("equal", spread(y, x, dims)).cast(x.type().dtype);
    const Expr count = least.apply("reduce_sum", {{"dims", dims}});
    return {spread(dy / count, x, dims) * least};
  }
};

}  // namespace penstock::program
