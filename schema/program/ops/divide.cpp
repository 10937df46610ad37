#include "schema/program/ops/divide.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Divide::attributes() {
  return {};
}

Result<Types> Divide::infer(OpInputs in) {
  return infer_binary(in, Elements::floats);
}

ShardingRule Divide::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, for_floats(in, Linearity::first_only));
}

Cost Divide::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 4);
}

std::vector<ValueId> Divide::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId rhs = node.inputs[1], quotient = node.outputs[0];
  const ValueId d_lhs = b.apply("divide", {g[0], rhs});
  // d (a / b) / db = -(a / b) / b
  return {d_lhs, b.apply("negate", {b.apply("multiply", {d_lhs, quotient})})};
}

std::vector<Example> Divide::examples() {
  return pointwise_examples(2, Elements::floats, {.low = 0.5, .high = 3});
}

}  // namespace penstock::program
