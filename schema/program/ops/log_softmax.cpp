#include "schema/program/ops/log_softmax.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/classes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> LogSoftmax::attributes() {
  return {};
}

Result<Types> LogSoftmax::infer(OpInputs in) {
  return infer_over_last(in);
}

ShardingRule LogSoftmax::sharding(OpInputs in) {
  return last_dim_rule(in.types[0].shape);
}

Cost LogSoftmax::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 14);
}

std::vector<ValueId> LogSoftmax::expand(Builder& b, const OpNode& node) {
  const ValueId shifted = minus_last_max(b, node.inputs[0]);
  const ValueId total = b.apply("log", {sum_last(b, b.apply("exp", {shifted}))});
  return {b.apply("subtract", {shifted, along_last(b, total, b.type(shifted).shape)})};
}

std::vector<ValueId> LogSoftmax::gradient(Builder& b, const OpNode& node,
                                          std::span<const ValueId> g) {
  const ValueId y = node.outputs[0];
  const Shape shape = b.type(y).shape;
  // dx = g - softmax * sum(g)
  const ValueId total = along_last(b, sum_last(b, g[0]), shape);
  return {b.apply("subtract", {g[0], b.apply("multiply", {b.apply("exp", {y}), total})})};
}

std::vector<Example> LogSoftmax::examples() {
  return last_dim_examples();
}

}  // namespace penstock::program
