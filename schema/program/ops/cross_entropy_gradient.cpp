#include "schema/program/ops/cross_entropy_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/classes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> CrossEntropyGradient::attributes() {
  return {};
}

Result<Types> CrossEntropyGradient::infer(OpInputs in) {
  const TensorType& logits = in.types[0];
  PENSTOCK_TRY(check_classes(logits, in.types[1]));
  const TensorType losses{logits.dtype, in.types[1].shape};
  if (in.types[2] != losses)
    return invalid("g must be " + to_text(losses) + ", as the losses, got " + to_text(in.types[2]));
  return Types{logits};
}

ShardingRule CrossEntropyGradient::sharding(OpInputs in) {
  return class_rule(in, in.types[0].shape.size(), Linearity::none);
}

Cost CrossEntropyGradient::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 16);
}

std::vector<ValueId> CrossEntropyGradient::expand(Builder& b, const OpNode& node) {
  const TensorType type = b.type(node.inputs[0]);
  const ValueId power = b.apply("exp", {minus_last_max(b, node.inputs[0])});
  const ValueId softmax = b.apply("divide", {power, along_last(b, sum_last(b, power), type.shape)});
  const ValueId label = b.apply("one_hot", {node.inputs[1]},
                                {{"depth", type.shape.back().bound}, {"dtype", type.dtype}});
  return {b.apply("multiply", {b.apply("subtract", {softmax, label}),
                               along_last(b, node.inputs[2], type.shape)})};
}

std::vector<Example> CrossEntropyGradient::examples() {
  std::vector<Example> out = class_examples();
  for (Example& example : out)
    example.operands.push_back({example.operands[0].dtype, example.operands[1].shape});
  return out;
}

}  // namespace penstock::program
