#include "schema/program/ops/greater.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Greater::attributes() {
  return {};
}

Result<Types> Greater::infer(OpInputs in) {
  PENSTOCK_ASSIGN(const Types types, infer_binary(in, Elements::numbers));
  return Types{{DType::boolean, types[0].shape}};
}

ShardingRule Greater::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types);
}

Cost Greater::cost(OpInputs in) {
  return pointwise_cost(in, {DType::boolean, in.types[0].shape}, 1);
}

std::vector<Example> Greater::examples() {
  return pointwise_examples(2, Elements::numbers);
}

}  // namespace penstock::program
