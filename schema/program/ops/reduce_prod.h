#pragma once

#include "schema/program/ops/reduce_op.h"

namespace penstock::program {

/// The product along dims; of no elements: 1. Integers wrap.
/// The gradient is exact where elements are zero.
struct ReduceProd : ReduceOp<ReduceProd> {
  static constexpr std::string_view name = "reduce_prod";
  static constexpr std::string_view summary = "product over dims, which disappear";
  static constexpr Kernel kernel = Kernel::reduce_prod;
  static constexpr Elements elements = Elements::numbers;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), y(b, node.outputs[0]), dy(b, g[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    // The product of the others: all but the zeros, where this one is the only zero or there is
    // none.
    const DType dtype = x.type().dtype;
    const Expr zero = x.apply("equal", x.like(0));
    const Expr rest = where(zero, x.like(1), x);
    const Expr product = spread(rest.apply("reduce_prod", {{"dims", dims}}), x, dims);
    const Expr zeros = spread(zero.cast(dtype).apply("reduce_sum", {{"dims", dims}}), x, dims);
    const Expr others = zeros - zero.cast(dtype);
    return {spread(dy, x, dims) * where(others > 0, x.like(0), product / rest)};
  }
};

}  // namespace penstock::program
