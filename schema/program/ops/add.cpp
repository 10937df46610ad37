#include "schema/program/ops/add.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Add::attributes() {
  return {};
}

Result<Types> Add::infer(OpInputs in) {
  return infer_binary(in, Elements::numbers);
}

ShardingRule Add::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 1, for_floats(in, Linearity::in_all));
}

Cost Add::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> Add::gradient(Builder&, const OpNode&, std::span<const ValueId> g) {
  return {g[0], g[0]};
}

std::vector<Example> Add::examples() {
  return pointwise_examples(2, Elements::numbers);
}

}  // namespace penstock::program
