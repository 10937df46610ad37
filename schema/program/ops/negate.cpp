#include "schema/program/ops/negate.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Negate::attributes() {
  return {};
}

Result<Types> Negate::infer(OpInputs in) {
  return infer_unary(in, Elements::signed_numbers);
}

ShardingRule Negate::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, for_floats(in, Linearity::in_each));
}

Cost Negate::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> Negate::gradient(Builder& b, const OpNode&, std::span<const ValueId> g) {
  return {b.apply("negate", {g[0]})};
}

std::vector<Example> Negate::examples() {
  return pointwise_examples(1, Elements::signed_numbers);
}

}  // namespace penstock::program
