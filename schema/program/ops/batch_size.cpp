#include "schema/program/ops/batch_size.h"

#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> BatchSize::attributes() {
  return {{"dtype", AttributeKind::dtype}};
}

Result<Types> BatchSize::infer(OpInputs in) {
  const TensorType type{in.attributes.dtype("dtype"), {}};
  // u8 and bool would not hold the rows of an ordinary batch.
  PENSTOCK_TRY(check_elements(type, Elements::signed_numbers));
  return Types{type};
}

ShardingRule BatchSize::sharding(OpInputs) {
  return {{}, {{}}, Linearity::none};
}

Cost BatchSize::cost(OpInputs in) {
  return {0, static_cast<double>(size_of(in.attributes.dtype("dtype")))};
}

std::vector<Example> BatchSize::examples() {
  std::vector<Example> out;
  for (const DType dtype : {DType::f64, DType::i32, DType::i64})
    out.push_back({{}, {{"dtype", dtype}}});
  return out;
}

}  // namespace penstock::program
