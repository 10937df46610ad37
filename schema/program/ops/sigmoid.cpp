#include "schema/program/ops/sigmoid.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Sigmoid::attributes() {
  return {};
}

Result<Types> Sigmoid::infer(OpInputs in) {
  return infer_unary(in, Elements::floats);
}

ShardingRule Sigmoid::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Sigmoid::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 12);
}

std::vector<ValueId> Sigmoid::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId y = node.outputs[0];
  const ValueId one = b.fill_like(1, b.type(y));
  const ValueId slope = b.apply("multiply", {y, b.apply("subtract", {one, y})});
  return {b.apply("multiply", {g[0], slope})};
}

std::vector<Example> Sigmoid::examples() {
  return pointwise_examples(1, Elements::floats);
}

}  // namespace penstock::program
