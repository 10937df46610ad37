#include "schema/program/ops/sgd.h"

#include "schema/program/builder.h"
#include "schema/program/ops/optimizer.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Sgd::attributes() {
  return {{"momentum", AttributeKind::real, 0.0}, {"weight_decay", AttributeKind::real, 0.0}};
}

Result<Types> Sgd::infer(OpInputs in) {
  PENSTOCK_TRY(check_range(in.attributes, "momentum", 0, 1));
  PENSTOCK_TRY(check_range(in.attributes, "weight_decay", 0, 1e6));
  return infer_optimizer(in, 3);
}

ShardingRule Sgd::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 2);
}

Cost Sgd::cost(OpInputs in) {
  return {6 * static_cast<double>(element_count(in.types[0].shape)),
          traffic(in.types, in.types.first(2))};
}

std::vector<ValueId> Sgd::expand(Builder& b, const OpNode& node) {
  const ValueId param = node.inputs[0], grad = node.inputs[1], buffer = node.inputs[2],
                learning_rate = node.inputs[3];
  const double momentum = node.attributes.real("momentum");
  const double decay = node.attributes.real("weight_decay");
  ValueId direction = grad;
  if (decay != 0) direction = b.apply("add", {grad, scaled(b, param, decay)});
  if (momentum != 0) direction = b.apply("add", {scaled(b, buffer, momentum), direction});
  return {b.apply("subtract", {param, scaled(b, direction, learning_rate)}), direction};
}

std::vector<Example> Sgd::examples() {
  return optimizer_examples(
      3, {{DType::f64, {}}},
      {{{"momentum", 0.0}, {"weight_decay", 0.0}}, {{"momentum", 0.9}, {"weight_decay", 0.01}}});
}

}  // namespace penstock::program
