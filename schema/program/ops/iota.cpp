#include "schema/program/ops/iota.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Iota::attributes() {
  return {{"size", AttributeKind::integer}, {"dtype", AttributeKind::dtype}};
}

Result<Types> Iota::infer(OpInputs in) {
  const TensorType out{in.attributes.dtype("dtype"), {in.attributes.integer("size")}};
  PENSTOCK_TRY(check_shape(out.shape, {}));
  PENSTOCK_TRY(check_elements(out, Elements::numbers));
  return Types{out};
}

ShardingRule Iota::sharding(OpInputs) {
  return {{}, {{ShardingRule::kWhole}}, Linearity::none};
}

Cost Iota::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<Example> Iota::examples() {
  std::vector<Example> out;
  for (const DType dtype : {DType::f64, DType::i32, DType::i64, DType::u8})
    for (const std::int64_t size : {0, 1, 7, 67})
      out.push_back({{}, {{"size", size}, {"dtype", dtype}}});
  return out;
}

}  // namespace penstock::program
