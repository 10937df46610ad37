#include "schema/program/ops/relu.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Relu::attributes() {
  return {};
}

Result<Types> Relu::infer(OpInputs in) {
  return infer_unary(in, Elements::floats);
}

ShardingRule Relu::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Relu::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> Relu::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  // The result is positive where the operand is, so that only one of them has to be kept.
  return {b.apply("relu_gradient", {node.outputs[0], g[0]})};
}

std::vector<Example> Relu::examples() {
  return pointwise_examples(1, Elements::floats);
}

}  // namespace penstock::program
