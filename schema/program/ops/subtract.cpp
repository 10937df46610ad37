#include "schema/program/ops/subtract.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Subtract::attributes() {
  return {};
}

Result<Types> Subtract::infer(OpInputs in) {
  return infer_binary(in, Elements::numbers);
}

ShardingRule Subtract::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, for_floats(in, Linearity::in_all));
}

Cost Subtract::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> Subtract::gradient(Builder& b, const OpNode&, std::span<const ValueId> g) {
  return {g[0], b.apply("negate", {g[0]})};
}

std::vector<Example> Subtract::examples() {
  return pointwise_examples(2, Elements::numbers);
}

}  // namespace penstock::program
