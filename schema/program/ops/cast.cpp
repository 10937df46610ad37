#include "schema/program/ops/cast.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Cast::attributes() {
  return {{"dtype", AttributeKind::dtype}};
}

Result<Types> Cast::infer(OpInputs in) {
  return Types{{in.attributes.dtype("dtype"), in.types[0].shape}};
}

ShardingRule Cast::sharding(OpInputs in) {
  const bool linear = is_float(in.types[0].dtype) && is_float(in.attributes.dtype("dtype"));
  return ShardingRule::pointwise(in.types, 1, linear ? Linearity::in_each : Linearity::none);
}

Cost Cast::cost(OpInputs in) {
  return pointwise_cost(in, {in.attributes.dtype("dtype"), in.types[0].shape}, 1);
}

std::vector<ValueId> Cast::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const DType from = b.type(node.inputs[0]).dtype;
  if (!is_float(from) || !is_float(node.attributes.dtype("dtype"))) return {ValueId{}};
  return {b.apply("cast", {g[0]}, {{"dtype", from}})};
}

std::vector<Example> Cast::examples() {
  std::vector<Example> out = pointwise_examples(1, Elements::floats);
  for (Example& example : out) example.attributes = {{"dtype", DType::f64}};
  const DType all[] = {DType::f32, DType::f64, DType::u8, DType::i32, DType::i64, DType::boolean};
  for (const DType from : all)
    for (const DType to : all) {
      Example example{{{from, {3, 5}}}, {{"dtype", to}}};
      example.check_gradient = from == DType::f64 && to == DType::f64;
      // A negative float in u8 saturates; tried for the signed types.
      if (to == DType::u8) example.low = 0;
      out.push_back(std::move(example));
    }
  return out;
}

}  // namespace penstock::program
