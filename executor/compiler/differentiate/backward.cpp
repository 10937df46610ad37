#include "executor/compiler/differentiate/backward.h"

#include <algorithm>
#include <string>
#include <vector>

#include "executor/compiler/index.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

using program::Builder;
using program::Entry;
using program::Node;
using program::Program;
using program::Source;
using program::ValueId;

bool is_trainable(const Program& program, const program::ValueInfo& value) {
  return value.source == Source::variable &&
         program.variables[static_cast<std::size_t>(value.index)].trainable;
}

/// The values that some trainable variable flows into; integers carry no gradient.
std::vector<bool> reached_by_trainable(const Program& program, const Entry& entry) {
  std::vector<bool> reached(entry.values.size(), false);
  for (std::size_t i = 0; i < entry.values.size(); ++i)
    reached[i] = is_trainable(program, entry.values[i]);
  for (const Node& node : entry.nodes) {
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ValueId id) { return reached[at(id)]; });
    for (const ValueId id : node.outputs)
      reached[at(id)] = any && program::is_float(entry.type(id).dtype);
  }
  return reached;
}

class ReversePass {
 public:
  explicit ReversePass(Builder& builder)
      : builder_(builder),
        nodes_(builder.entry().nodes),
        reached_(reached_by_trainable(builder.program(), builder.entry())),
        gradients_(builder.entry().values.size()) {}

  Status run(ValueId loss) {
    gradients_[at(loss)] = builder_.constant(1, builder_.type(loss).dtype);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) PENSTOCK_TRY(visit(*node));
    return {};
  }

  ValueId gradient(std::size_t value) const { return gradients_[value]; }

 private:
  Status visit(const Node& node) {
    std::vector<ValueId> incoming;
    bool any = false;
    for (const ValueId id : node.outputs) {
      incoming.push_back(gradients_[at(id)]);
      any = any || (incoming.back() && reached_[at(id)]);
    }
    if (!any) return {};
    const program::OpRow& row = program::op_row(node.op);
    if (!row.differentiable())
      return invalid(std::string(row.name) + " %" + std::to_string(node.outputs[0].index) +
                     ": the op has no gradient, but lies between a trainable variable and the "
                     "loss; keep it off that path");
    const std::vector<ValueId> outgoing =
        row.gradient(builder_, {node.inputs, node.outputs, node.attributes}, incoming);
    for (std::size_t i = 0; i < outgoing.size() && i < node.inputs.size(); ++i)
      if (outgoing[i] && reached_[at(node.inputs[i])]) add(node.inputs[i], outgoing[i]);
    return {};
  }

  void add(ValueId value, ValueId gradient) {
    ValueId& sum = gradients_[at(value)];
    sum = sum ? builder_.apply("add", {sum, gradient}) : gradient;
  }

  Builder& builder_;
  const std::vector<Node> nodes_;  // of the forward pass; the entry's own grow
  const std::vector<bool> reached_;
  std::vector<ValueId> gradients_;
};

}  // namespace

Result<Gradients> append_backward(Builder& builder, ValueId loss) {
  const std::size_t forward_values = builder.entry().values.size();
  ReversePass pass(builder);
  PENSTOCK_TRY(pass.run(loss));
  Gradients out;
  for (std::size_t i = 0; i < forward_values; ++i) {
    const program::ValueInfo& value = builder.entry().values[i];
    if (is_trainable(builder.program(), value) && pass.gradient(i))
      out.emplace(value.index, pass.gradient(i));
  }
  for (std::size_t v = 0; v < builder.program().variables.size(); ++v) {
    const program::Variable& variable = builder.program().variables[v];
    if (variable.trainable && out.find(static_cast<std::int32_t>(v)) == out.end())
      return invalid("variable " + variable.name +
                     ": it is trainable, but the loss does not depend on it; use it, or declare it "
                     "without 'trainable'");
  }
  return out;
}

}  // namespace penstock::compiler
