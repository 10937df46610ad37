#include "schema/program/ops/tanh.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Tanh::attributes() {
  return {};
}

Result<Types> Tanh::infer(OpInputs in) {
  return infer_unary(in, Elements::floats);
}

ShardingRule Tanh::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Tanh::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 12);
}

std::vector<ValueId> Tanh::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId y = node.outputs[0];
  const ValueId one = b.fill_like(1, b.type(y));
  return {b.apply("multiply", {g[0], b.apply("subtract", {one, b.apply("multiply", {y, y})})})};
}

std::vector<Example> Tanh::examples() {
  return pointwise_examples(1, Elements::floats);
}

}  // namespace penstock::program
