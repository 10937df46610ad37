#include "schema/program/ops/select.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Select::attributes() {
  return {};
}

Result<Types> Select::infer(OpInputs in) {
  const TensorType& condition = in.types[0];
  if (condition.dtype != DType::boolean)
    return invalid("the condition must be bool, got " + to_text(condition));
  if (condition.shape != in.types[1].shape)
    return invalid("shapes differ: condition " + to_text(condition.shape) + ", a " +
                   to_text(in.types[1].shape) + "; broadcast the smaller one");
  return infer_binary({in.types.subspan(1), in.attributes}, Elements::any);
}

ShardingRule Select::sharding(OpInputs in) {
  return ShardingRule::pointwise(in.types);
}

Cost Select::cost(OpInputs in) {
  return pointwise_cost(in, in.types[1], 1);
}

std::vector<ValueId> Select::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId condition = node.inputs[0];
  const ValueId zero = b.fill_like(0, b.type(g[0]));
  return {ValueId{}, b.apply("select", {condition, g[0], zero}),
          b.apply("select", {condition, zero, g[0]})};
}

std::vector<Example> Select::examples() {
  std::vector<Example> out = pointwise_examples(3, Elements::any);
  for (Example& example : out) example.operands[0].dtype = DType::boolean;
  return out;
}

}  // namespace penstock::program
