#include "executor/compiler/simplify/entry_copy.h"

#include "base/check.h"

namespace penstock::compiler {

EntryCopy::EntryCopy(const program::Entry& from) : from_(from), map_(from.values.size()) {
  to_.name = from.name;
}

program::ValueId EntryCopy::operator[](program::ValueId old) const {
  const program::ValueId at = map_[static_cast<std::size_t>(old.index)];
  PENSTOCK_CHECK(static_cast<bool>(at), "a value is used before it is copied");
  return at;
}

bool EntryCopy::has(program::ValueId old) const {
  return static_cast<bool>(map_[static_cast<std::size_t>(old.index)]);
}

void EntryCopy::replace(program::ValueId old, program::ValueId by) {
  map_[static_cast<std::size_t>(old.index)] = by;
}

void EntryCopy::copy_source(program::ValueId old) {
  replace(old, {static_cast<std::int32_t>(to_.values.size())});
  to_.values.push_back(from_.values[static_cast<std::size_t>(old.index)]);
}

void EntryCopy::copy_node(const program::Node& node) {
  std::vector<program::ValueId> inputs;
  for (const program::ValueId id : node.inputs) inputs.push_back((*this)[id]);
  std::vector<program::TensorType> results;
  for (const program::ValueId id : node.outputs) results.push_back(from_.type(id));
  const auto outputs = add_node(node.op, node.attributes, std::move(inputs), std::move(results));
  for (std::size_t i = 0; i < outputs.size(); ++i) replace(node.outputs[i], outputs[i]);
}

std::vector<program::ValueId> EntryCopy::add_node(program::OpIndex op,
                                                  program::Attributes attributes,
                                                  std::vector<program::ValueId> inputs,
                                                  std::vector<program::TensorType> results) {
  program::Node node{op, std::move(attributes), std::move(inputs), {}};
  for (program::TensorType& type : results) {
    node.outputs.push_back({static_cast<std::int32_t>(to_.values.size())});
    to_.values.push_back(
        {std::move(type), program::Source::node, static_cast<std::int32_t>(to_.nodes.size()), {}});
  }
  std::vector<program::ValueId> outputs = node.outputs;
  to_.nodes.push_back(std::move(node));
  return outputs;
}

program::Entry EntryCopy::finish() && {
  for (const program::NamedValue& output : from_.outputs)
    to_.outputs.push_back({output.name, (*this)[output.value]});
  for (const program::VariableWrite& write : from_.writes)
    to_.writes.push_back({write.variable, (*this)[write.value]});
  return std::move(to_);
}

}  // namespace penstock::compiler
