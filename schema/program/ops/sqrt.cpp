#include "schema/program/ops/sqrt.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Sqrt::attributes() {
  return {};
}

Result<Types> Sqrt::infer(OpInputs in) {
  return infer_unary(in, Elements::floats);
}

ShardingRule Sqrt::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Sqrt::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 4);
}

std::vector<ValueId> Sqrt::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const TensorType type = b.type(node.outputs[0]);
  const ValueId half = b.apply("multiply", {g[0], b.fill_like(0.5, type)});
  return {b.apply("divide", {half, node.outputs[0]})};
}

std::vector<Example> Sqrt::examples() {
  return pointwise_examples(1, Elements::floats, {.low = 0.2, .high = 3});
}

}  // namespace penstock::program
