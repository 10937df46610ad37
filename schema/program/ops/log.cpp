#include "schema/program/ops/log.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Log::attributes() {
  return {};
}

Result<Types> Log::infer(OpInputs in) {
  return infer_unary(in, Elements::floats);
}

ShardingRule Log::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Log::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 10);
}

std::vector<ValueId> Log::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  return {b.apply("divide", {g[0], node.inputs[0]})};
}

std::vector<Example> Log::examples() {
  return pointwise_examples(1, Elements::floats, {.low = 0.2, .high = 3});
}

}  // namespace penstock::program
