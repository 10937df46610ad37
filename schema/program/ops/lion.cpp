#include "schema/program/ops/lion.h"

#include "schema/program/builder.h"
#include "schema/program/ops/optimizer.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Lion::attributes() {
  return {{"beta1", AttributeKind::real, 0.9},
          {"beta2", AttributeKind::real, 0.99},
          {"weight_decay", AttributeKind::real, 0.0}};
}

Result<Types> Lion::infer(OpInputs in) {
  PENSTOCK_TRY(check_range(in.attributes, "beta1", 0, 1));
  PENSTOCK_TRY(check_range(in.attributes, "beta2", 0, 1));
  PENSTOCK_TRY(check_range(in.attributes, "weight_decay", 0, 1e6));
  return infer_optimizer(in, 3);
}

ShardingRule Lion::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 2);
}

Cost Lion::cost(OpInputs in) {
  return {10 * static_cast<double>(element_count(in.types[0].shape)),
          traffic(in.types, in.types.first(2))};
}

std::vector<ValueId> Lion::expand(Builder& b, const OpNode& node) {
  const ValueId param = node.inputs[0], grad = node.inputs[1], m = node.inputs[2],
                learning_rate = node.inputs[3];
  const auto average = [&](double beta) {
    return b.apply("add", {scaled(b, m, beta), scaled(b, grad, 1 - beta)});
  };
  ValueId direction = b.apply("sign", {average(node.attributes.real("beta1"))});
  const double decay = node.attributes.real("weight_decay");
  if (decay != 0) direction = b.apply("add", {direction, scaled(b, param, decay)});
  return {b.apply("subtract", {param, scaled(b, direction, learning_rate)}),
          average(node.attributes.real("beta2"))};
}

std::vector<Example> Lion::examples() {
  return optimizer_examples(3, {{DType::f64, {}}},
                            {{{"beta1", 0.9}, {"beta2", 0.99}, {"weight_decay", 0.0}},
                             {{"beta1", 0.5}, {"beta2", 0.9}, {"weight_decay", 0.1}}});
}

}  // namespace penstock::program
