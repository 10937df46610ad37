#include "schema/program/ops/one_hot.h"

#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

TensorType result_type(OpInputs in) {
  Shape shape = in.types[0].shape;
  shape.push_back(in.attributes.integer("depth"));
  return {in.attributes.dtype("dtype"), std::move(shape)};
}

}  // namespace

std::vector<AttributeSpec> OneHot::attributes() {
  return {{"depth", AttributeKind::integer}, {"dtype", AttributeKind::dtype}};
}

Result<Types> OneHot::infer(OpInputs in) {
  const TensorType& labels = in.types[0];
  if (labels.dtype != DType::i32 && labels.dtype != DType::i64)
    return invalid("labels must be i32 or i64, got " + to_text(labels));
  if (in.attributes.integer("depth") < 0)
    return invalid("depth " + std::to_string(in.attributes.integer("depth")) + " is negative");
  return Types{result_type(in)};
}

ShardingRule OneHot::sharding(OpInputs in) {
  ShardingRule rule = ShardingRule::pointwise(in.types);
  rule.results[0].push_back(ShardingRule::kWhole);
  return rule;
}

Cost OneHot::cost(OpInputs in) {
  return pointwise_cost(in, result_type(in), 1);
}

std::vector<Example> OneHot::examples() {
  std::vector<Example> out;
  const auto add = [&](DType labels, Shape shape, std::int64_t depth, DType dtype) {
    out.push_back({{{labels, std::move(shape)}}, {{"depth", depth}, {"dtype", dtype}}});
    out.back().integer_below = depth + 1;  // one label past the end
  };
  add(DType::i32, {}, 3, DType::f64);
  add(DType::i32, {1}, 1, DType::f64);
  add(DType::i64, {0}, 5, DType::f64);
  add(DType::i32, {7}, 5, DType::f64);
  add(DType::i64, {3, 5}, 4, DType::f64);
  add(DType::i64, {batch(7)}, 3, DType::f64);
  add(DType::i32, {4099}, 3, DType::f64);
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(DType::i32, {7}, 5, dtype);
  return out;
}

}  // namespace penstock::program
