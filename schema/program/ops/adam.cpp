#include "schema/program/ops/adam.h"

#include "schema/program/builder.h"
#include "schema/program/ops/adamw.h"
#include "schema/program/ops/optimizer.h"

namespace penstock::program {

std::vector<AttributeSpec> Adam::attributes() {
  std::vector<AttributeSpec> out = Adamw::attributes();
  out.back().fallback = Attribute(0.0);  // weight_decay, as torch has it
  return out;
}

Result<Types> Adam::infer(OpInputs in) {
  return Adamw::infer(in);
}

ShardingRule Adam::sharding(OpInputs in) {
  return Adamw::sharding(in);
}

Cost Adam::cost(OpInputs in) {
  return Adamw::cost(in);
}

std::vector<ValueId> Adam::expand(Builder& b, const OpNode& node) {
  const double decay = node.attributes.real("weight_decay");
  std::vector<ValueId> inputs(node.inputs.begin(), node.inputs.end());
  if (decay != 0) inputs[1] = b.apply("add", {inputs[1], scaled(b, inputs[0], decay)});
  Attributes attributes = node.attributes;
  attributes.set("weight_decay", 0.0);
  return Adamw::expand(b, {inputs, node.outputs, attributes});
}

std::vector<Example> Adam::examples() {
  return Adamw::examples();
}

}  // namespace penstock::program
