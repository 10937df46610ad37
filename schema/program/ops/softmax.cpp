#include "schema/program/ops/softmax.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/classes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Softmax::attributes() {
  return {};
}

Result<Types> Softmax::infer(OpInputs in) {
  return infer_over_last(in);
}

ShardingRule Softmax::sharding(OpInputs in) {
  return last_dim_rule(in.types[0].shape);
}

Cost Softmax::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 14);
}

std::vector<ValueId> Softmax::expand(Builder& b, const OpNode& node) {
  const ValueId power = b.apply("exp", {minus_last_max(b, node.inputs[0])});
  return {b.apply("divide", {power, along_last(b, sum_last(b, power), b.type(power).shape)})};
}

std::vector<ValueId> Softmax::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId y = node.outputs[0];
  const Shape shape = b.type(y).shape;
  // dx = y * (g - sum(g * y))
  const ValueId inner = sum_last(b, b.apply("multiply", {g[0], y}));
  return {b.apply("multiply", {y, b.apply("subtract", {g[0], along_last(b, inner, shape)})})};
}

std::vector<Example> Softmax::examples() {
  return last_dim_examples();
}

}  // namespace penstock::program
