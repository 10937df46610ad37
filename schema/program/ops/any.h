#pragma once

#include "schema/program/ops/reduce_op.h"

namespace penstock::program {

/// Of no elements: false.
struct Any : ReduceOp<Any> {
  static constexpr std::string_view name = "any";
  static constexpr std::string_view summary = "whether some element along dims is true; bool";
  static constexpr Elements elements = Elements::booleans;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    const Expr most = x.cast(DType::u8).apply("reduce_max", {{"dims", dims}});
    return {most.cast(DType::boolean)};
  }
  static constexpr bool differentiable = false;
};

}  // namespace penstock::program
