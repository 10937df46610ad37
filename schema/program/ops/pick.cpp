#include "schema/program/ops/pick.h"

#include "schema/program/builder.h"
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
  if (x.shape.size() != 2 || labels.shape.size() != 1 || x.shape[0] != labels.shape[0])
    return invalid("takes x [n,k] and labels [n], got x " + to_text(x.shape) + ", labels " +
                   to_text(labels.shape));
  return Types{{x.dtype, labels.shape}};
}

ShardingRule Pick::sharding(OpInputs) {
  return ShardingRule::parse("n ., n -> n", Linearity::first_only);
}

Cost Pick::cost(OpInputs in) {
  const TensorType result{in.types[0].dtype, in.types[1].shape};
  return {0, traffic(in.types.subspan(1), {&result, 1}) + static_cast<double>(byte_count(result))};
}

std::vector<ValueId> Pick::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const TensorType type = b.type(node.inputs[0]);
  const ValueId chosen =
      b.apply("one_hot", {node.inputs[1]}, {{"depth", type.shape[1].bound}, {"dtype", type.dtype}});
  return {b.apply("multiply", {b.broadcast(g[0], type.shape, {0}), chosen}), ValueId{}};
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
  return out;
}

}  // namespace penstock::program
