#pragma once

#include "schema/program/ops/axes.h"
#include "schema/program/ops/expression.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

/// What reductions have in common: attribute `dims`, which disappear and stay whole on a device. A
/// reduction of its own `struct ReduceProd : ReduceOp<ReduceProd>` adds name, summary, kernel or
/// expansion, and gradient.
template <class Op>
struct ReduceOp {
  static constexpr int arity = 1;
  static constexpr Elements elements = Elements::floats;
  static constexpr double flop = 1;
  static constexpr ExampleRange range = {};
  static constexpr bool of_none = true;  // has a value where dims hold no element

  static std::vector<AttributeSpec> attributes() { return {{"dims", AttributeKind::integers}}; }
  static Result<Types> infer(OpInputs in) {
    const TensorType& x = in.types[0];
    PENSTOCK_TRY(check_elements(x, Op::elements));
    PENSTOCK_TRY(check_dims(dims_of(in), x.shape));
    return Types{{x.dtype, without(dims_of(in), x.shape)}};
  }
  static ShardingRule sharding(OpInputs in) {
    return reduction_rule(in.types[0].shape, dims_of(in), Reduced::whole, Linearity::none);
  }
  static Cost cost(OpInputs in) {
    const TensorType& x = in.types[0];
    const TensorType result{x.dtype, without(dims_of(in), x.shape)};
    return {Op::flop * static_cast<double>(element_count(x.shape)),
            traffic(in.types, {&result, 1})};
  }
  static std::vector<Example> examples() {
    std::vector<Example> out = reduction_examples(Op::elements, Op::range);
    if (!Op::of_none) out.erase(out.begin() + 1);
    return out;
  }

  static const std::vector<std::int64_t>& dims_of(OpInputs in) {
    return in.attributes.integers("dims");
  }
};

/// A reduced value repeated along the dims of `x` that it has lost.
inline Expr spread(Expr value, Expr x, const std::vector<std::int64_t>& dims) {
  const Shape shape = x.type().shape;
  return {x.builder(), x.builder().broadcast(value, shape, other_dims(dims, shape))};
}

}  // namespace penstock::program
