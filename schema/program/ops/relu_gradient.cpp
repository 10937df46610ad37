#include "schema/program/ops/relu_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> ReluGradient::attributes() {
  return {};
}

Result<Types> ReluGradient::infer(OpInputs in) {
  return infer_binary(in, Elements::floats);
}

ShardingRule ReluGradient::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost ReluGradient::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> ReluGradient::gradient(Builder& b, const OpNode& node,
                                            std::span<const ValueId> g) {
  return {ValueId{}, b.apply("relu_gradient", {node.inputs[0], g[0]})};
}

std::vector<Example> ReluGradient::examples() {
  return pointwise_examples(2, Elements::floats);
}

}  // namespace penstock::program
