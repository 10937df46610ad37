#pragma once

#include "schema/program/ops/pointwise.h"

namespace penstock::program {

/// What element-wise ops have in common. An op of its own `struct Sin : MapOp<Sin>` adds its name,
/// summary, kernel or expansion, and gradient; it may narrow `elements` or `range`, and count more
/// arithmetic. Operands and result have one type.
template <class Op, int operands = 1>
struct MapOp {
  static constexpr int arity = operands;
  static constexpr Elements elements = Elements::floats;
  static constexpr ExampleRange range = {};
  static constexpr double flop = 1;

  static std::vector<AttributeSpec> attributes() { return {}; }
  static Result<Types> infer(OpInputs in) { return infer_alike(in, Op::elements); }
  static ShardingRule sharding(OpInputs in) {
    return ShardingRule::pointwise(in.types, 1, Linearity::none);
  }
  static Cost cost(OpInputs in) { return pointwise_cost(in, in.types[0], Op::flop); }
  static std::vector<Example> examples() {
    return pointwise_examples(operands, Op::elements, Op::range);
  }
};

/// The same with a bool for each element.
template <class Op, int operands = 2>
struct PredicateOp : MapOp<Op, operands> {
  static constexpr bool differentiable = false;

  static Result<Types> infer(OpInputs in) {
    PENSTOCK_ASSIGN(const Types types, infer_alike(in, Op::elements));
    return Types{{DType::boolean, types[0].shape}};
  }
  static Cost cost(OpInputs in) {
    return pointwise_cost(in, {DType::boolean, in.types[0].shape}, Op::flop);
  }
};

}  // namespace penstock::program
