#include "schema/program/ops/multiply.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Multiply::attributes() {
  return {};
}

Result<Types> Multiply::infer(OpInputs in) {
  return infer_binary(in, Elements::numbers);
}

ShardingRule Multiply::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, for_floats(in, Linearity::in_each));
}

Cost Multiply::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> Multiply::gradient(Builder& b, const OpNode& node,
                                        std::span<const ValueId> g) {
  const ValueId lhs = node.inputs[0], rhs = node.inputs[1];
  return {b.apply("multiply", {g[0], rhs}), b.apply("multiply", {g[0], lhs})};
}

std::vector<Example> Multiply::examples() {
  return pointwise_examples(2, Elements::numbers);
}

}  // namespace penstock::program
