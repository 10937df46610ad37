#include "schema/program/ops/exp.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Exp::attributes() {
  return {};
}

Result<Types> Exp::infer(OpInputs in) {
  return infer_unary(in, Elements::floats);
}

ShardingRule Exp::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, Linearity::none);
}

Cost Exp::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 10);
}

std::vector<ValueId> Exp::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  return {b.apply("multiply", {g[0], node.outputs[0]})};
}

std::vector<Example> Exp::examples() {
  return pointwise_examples(1, Elements::floats);
}

}  // namespace penstock::program
