#pragma once

#include "schema/program/ops/reduce_op.h"

namespace penstock::program {

/// Of no elements: true.
struct All : ReduceOp<All> {
  static constexpr std::string_view name = "all";
  static constexpr std::string_view summary = "whether every element along dims is true; bool";
  static constexpr Elements elements = Elements::booleans;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    const Expr no = x.apply("logical_not").cast(DType::u8).apply("reduce_max", {{"dims", dims}});
    return {no.cast(DType::boolean).apply("logical_not")};
  }
  static constexpr bool differentiable = false;
};

}  // namespace penstock::program
