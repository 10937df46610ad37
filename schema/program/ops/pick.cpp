#include "schema/program/ops/pick.h"

#include "schema/program/builder.h"
#include "schema/program/ops/classes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Pick::attributes() {
  return {};
}

Result<Types> Pick::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType& labels = in.types[1];
  PENSTOCK_TRY(check_elements(x, Elements::floats));
  if (labels.dtype != DType::i32 && labels.dtype != DType::i64)
    return invalid("labels must be i32 or i64, got " + to_text(labels));
  if (x.shape.empty() || x.shape.back().dynamic ||
      Shape(x.shape.begin(), x.shape.end() - 1) != labels.shape)
    return invalid("takes x [..,k] and labels [..], got x " + to_text(x.shape) + ", labels " +
                   to_text(labels.shape));
  return Types{{x.dtype, labels.shape}};
}

ShardingRule Pick::sharding(OpInputs in) {
  return class_rule(in, in.types[1].shape.size(), Linearity::first_only);
}

Cost Pick::cost(OpInputs in) {
  const TensorType result{in.types[0].dtype, in.types[1].shape};
  return {0, traffic(in.types.subspan(1), {&result, 1}) + static_cast<double>(byte_count(result))};
}

std::vector<ValueId> Pick::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const TensorType type = b.type(node.inputs[0]);
  const ValueId chosen = b.apply("one_hot", {node.inputs[1]},
                                 {{"depth", type.shape.back().bound}, {"dtype", type.dtype}});
  return {b.apply("multiply", {along_last(b, g[0], type.shape), chosen}), ValueId{}};
}

std::vector<Example> Pick::examples() {
  std::vector<Example> out;
  const auto add = [&](Dim rows, std::int64_t classes, DType labels) {
    out.push_back({{{DType::f64, {rows, classes}}, {labels, {rows}}}, {}});
    out.back().integer_below = classes;
    out.back().check_gradient = rows.bound < 100;
  };
  add(1, 1, DType::i32);
  add(0, 5, DType::i32);
  add(7, 5, DType::i64);
  add(batch(7), 3, DType::i32);
  add(1025, 10, DType::i32);
  out.push_back({{{DType::f64, {batch(3), 2, 4}}, {DType::i32, {batch(3), 2}}}, {}});
  return out;
}

}  // namespace penstock::program
