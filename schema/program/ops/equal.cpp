#include "schema/program/ops/equal.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Equal::attributes() {
  return {};
}

Result<Types> Equal::infer(OpInputs in) {
  PENSTOCK_ASSIGN(const Types types, infer_binary(in, Elements::any));
  return Types{{DType::boolean, types[0].shape}};
}

ShardingRule Equal::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types);
}

Cost Equal::cost(OpInputs in) {
  return pointwise_cost(in, {DType::boolean, in.types[0].shape}, 1);
}

std::vector<Example> Equal::examples() {
  return pointwise_examples(2, Elements::any);
}

}  // namespace penstock::program
