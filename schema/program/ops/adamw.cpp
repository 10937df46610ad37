#include "schema/program/ops/adamw.h"

#include <cmath>

#include "schema/program/builder.h"
#include "schema/program/ops/optimizer.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

/// 1 - beta^step, an f64 scalar.
ValueId bias_correction(Builder& b, double beta, ValueId step_f64) {
  const ValueId one = b.constant(1, DType::f64);
  if (beta == 0) return one;
  const ValueId power = b.apply("exp", {scalar_times(b, step_f64, std::log(beta))});
  return b.apply("subtract", {one, power});
}

/// beta * average + (1 - beta) * value
ValueId moving_average(Builder& b, double beta, ValueId average, ValueId value) {
  return b.apply("add", {scaled(b, average, beta), scaled(b, value, 1 - beta)});
}

}  // namespace

std::vector<AttributeSpec> Adamw::attributes() {
  return {{"beta1", AttributeKind::real, 0.9},
          {"beta2", AttributeKind::real, 0.999},
          {"epsilon", AttributeKind::real, 1e-8},
          {"weight_decay", AttributeKind::real, 0.01}};
}

Result<Types> Adamw::infer(OpInputs in) {
  PENSTOCK_TRY(check_range(in.attributes, "beta1", 0, 1));
  PENSTOCK_TRY(check_range(in.attributes, "beta2", 0, 1));
  PENSTOCK_TRY(check_range(in.attributes, "epsilon", 0, 1e6));
  PENSTOCK_TRY(check_range(in.attributes, "weight_decay", 0, 1e6));
  return infer_optimizer(in, 4);
}

ShardingRule Adamw::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types, 3);
}

Cost Adamw::cost(OpInputs in) {
  return {16 * static_cast<double>(element_count(in.types[0].shape)),
          traffic(in.types, in.types.first(3))};
}

std::vector<ValueId> Adamw::expand(Builder& b, const OpNode& node) {
  const ValueId param = node.inputs[0], grad = node.inputs[1], learning_rate = node.inputs[5];
  const double beta1 = node.attributes.real("beta1"), beta2 = node.attributes.real("beta2");
  const double decay = node.attributes.real("weight_decay");
  const ValueId step = b.apply("cast", {node.inputs[4]}, {{"dtype", DType::f64}});
  const ValueId one = b.constant(1, DType::f64);

  const ValueId m = moving_average(b, beta1, node.inputs[2], grad);
  const ValueId v = moving_average(b, beta2, node.inputs[3], b.apply("multiply", {grad, grad}));

  // Scalars stay in f64 until they meet a tensor.
  const ValueId step_size = b.apply("divide", {learning_rate, bias_correction(b, beta1, step)});
  const ValueId root = b.apply("sqrt", {bias_correction(b, beta2, step)});
  const ValueId per_root = b.apply("divide", {one, root});

  const TensorType type = b.type(v);
  const ValueId spread = scaled(b, b.apply("sqrt", {v}), per_root);
  const ValueId denominator =
      b.apply("add", {spread, b.fill_like(node.attributes.real("epsilon"), type)});
  ValueId kept = param;
  if (decay != 0) {
    const ValueId shrink = b.apply("subtract", {one, scalar_times(b, learning_rate, decay)});
    kept = scaled(b, param, shrink);
  }
  const ValueId move = b.apply("divide", {scaled(b, m, step_size), denominator});
  return {b.apply("subtract", {kept, move}), m, v};
}

std::vector<Example> Adamw::examples() {
  const Attributes plain = {
      {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}, {"weight_decay", 0.01}};
  const Attributes without = {
      {"beta1", 0.0}, {"beta2", 0.5}, {"epsilon", 1e-3}, {"weight_decay", 0.0}};
  return optimizer_examples(4, {{DType::i64, {}}, {DType::f64, {}}}, {plain, without});
}

}  // namespace penstock::program
