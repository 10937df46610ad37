#include "schema/program/ops/maximum.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Maximum::attributes() {
  return {};
}

Result<Types> Maximum::infer(OpInputs in) {
  return infer_binary(in, Elements::numbers);
}

ShardingRule Maximum::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Maximum::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> Maximum::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId lhs = node.inputs[0], rhs = node.inputs[1];
  const TensorType type = b.type(lhs);
  const ValueId wins = b.apply("cast", {b.apply("greater", {lhs, rhs})}, {{"dtype", type.dtype}});
  const ValueId ties = b.apply("cast", {b.apply("equal", {lhs, rhs})}, {{"dtype", type.dtype}});
  const ValueId half = b.apply("multiply", {ties, b.fill_like(0.5, type)});
  const ValueId d_lhs = b.apply("multiply", {g[0], b.apply("add", {wins, half})});
  return {d_lhs, b.apply("subtract", {g[0], d_lhs})};
}

std::vector<Example> Maximum::examples() {
  return pointwise_examples(2, Elements::numbers);
}

}  // namespace penstock::program
