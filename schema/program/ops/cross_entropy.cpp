#include "schema/program/ops/cross_entropy.h"

#include "schema/program/builder.h"
#include "schema/program/ops/classes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> CrossEntropy::attributes() {
  return {};
}

Result<Types> CrossEntropy::infer(OpInputs in) {
  PENSTOCK_TRY(check_classes(in.types[0], in.types[1]));
  return Types{{in.types[0].dtype, in.types[1].shape}};
}

ShardingRule CrossEntropy::sharding(OpInputs in) {
  return class_rule(in, in.types[1].shape.size(), Linearity::none);
}

Cost CrossEntropy::cost(OpInputs in) {
  const TensorType result{in.types[0].dtype, in.types[1].shape};
  return {14 * static_cast<double>(element_count(in.types[0].shape)),
          traffic(in.types, {&result, 1})};
}

std::vector<ValueId> CrossEntropy::expand(Builder& b, const OpNode& node) {
  // log(sum(e^(x - max))) - (x[label] - max): every term is small where the loss is.
  const ValueId shifted = minus_last_max(b, node.inputs[0]);
  const ValueId total = b.apply("log", {sum_last(b, b.apply("exp", {shifted}))});
  return {b.apply("subtract", {total, b.apply("pick", {shifted, node.inputs[1]})})};
}

std::vector<ValueId> CrossEntropy::gradient(Builder& b, const OpNode& node,
                                            std::span<const ValueId> g) {
  return {b.apply("cross_entropy_gradient", {node.inputs[0], node.inputs[1], g[0]}), ValueId{}};
}

std::vector<Example> CrossEntropy::examples() {
  return class_examples();
}

}  // namespace penstock::program
