#pragma once

#include "schema/program/ops/reduce_op.h"

namespace penstock::program {

/// log(sum(e^x)) along dims; of no elements: -infinity.
struct LogSumExp : ReduceOp<LogSumExp> {
  static constexpr std::string_view name = "log_sum_exp";
  static constexpr std::string_view summary = "log of the sum of e^x over dims, without overflow";
  static constexpr double flop = 14;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    const Expr highest = x.apply("reduce_max", {{"dims", dims}});
    const Expr shift = where(highest.apply("is_finite"), highest, highest.like(0));
    const Expr sum =
        (x - spread(shift, x, dims)).apply("exp").apply("reduce_sum", {{"dims", dims}});
    return {sum.apply("log") + shift};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), y(b, node.outputs[0]), dy(b, g[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    return {spread(dy, x, dims) * (x - spread(y, x, dims)).apply("exp")};
  }
};

}  // namespace penstock::program
