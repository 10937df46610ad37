#include "schema/program/op.h"
#include "schema/program/text.h"

namespace penstock::program {
namespace {

std::string value_text(ValueId id) {
  return "%" + std::to_string(id.index);
}

void add_attributes(std::string& out, const Attributes& attributes) {
  if (attributes.items().empty()) return;
  out += " {";
  bool first = true;
  for (const auto& item : attributes.items()) {
    if (!first) out += ", ";
    first = false;
    out += item.first;
    out += '=';
    out += to_text(item.second);
  }
  out += '}';
}

std::string initializer_text(const Initializer& initializer) {
  switch (initializer.kind) {
    case Initializer::Kind::constant:
      return "constant(" + to_text(initializer.a) + ")";
    case Initializer::Kind::uniform:
      return "uniform(" + to_text(initializer.a) + ", " + to_text(initializer.b) + ")";
    case Initializer::Kind::normal:
      break;
  }
  return "normal(" + to_text(initializer.a) + ", " + to_text(initializer.b) + ")";
}

void add_definition(std::string& out, const Entry& entry, ValueId id) {
  out += value_text(id) + ": " + to_text(entry.type(id));
}

void add_node(std::string& out, const Entry& entry, const Node& node) {
  out += "  ";
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (i > 0) out += ", ";
    add_definition(out, entry, node.outputs[i]);
  }
  out += " = ";
  out += op_row(node.op).name;
  out += '(';
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (i > 0) out += ", ";
    out += value_text(node.inputs[i]);
  }
  out += ')';
  add_attributes(out, node.attributes);
  out += '\n';
}

void add_entry(std::string& out, const Program& program, const Entry& entry) {
  out += "entry " + entry.name + " {\n";
  std::int32_t last_node = -1;
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const ValueInfo& value = entry.values[i];
    if (value.source == Source::node) {
      if (value.index == last_node) continue;  // a further result of the line before
      last_node = value.index;
      add_node(out, entry, entry.nodes[static_cast<std::size_t>(last_node)]);
      continue;
    }
    out += "  ";
    add_definition(out, entry, {static_cast<std::int32_t>(i)});
    out += value.source == Source::input
               ? " = input " + value.name
               : " = read " + program.variables[static_cast<std::size_t>(value.index)].name;
    out += '\n';
  }
  for (const NamedValue& output : entry.outputs)
    out += "  output " + output.name + " = " + value_text(output.value) + "\n";
  for (const VariableWrite& write : entry.writes)
    out += "  write " + program.variables[static_cast<std::size_t>(write.variable)].name + " = " +
           value_text(write.value) + "\n";
  out += "}\n";
}

}  // namespace

std::string print(const Program& program) {
  std::string out = "penstock program 1\nseed " + std::to_string(program.seed) + "\n";
  for (const Variable& variable : program.variables)
    out += "variable " + variable.name + ": " + to_text(variable.type) +
           (variable.trainable ? " trainable " : " ") + initializer_text(variable.initializer) +
           "\n";
  for (const Entry& entry : program.entries) add_entry(out, program, entry);
  if (program.training) {
    const Training& training = *program.training;
    out += "train " + training.entry + " minimize " + training.loss + " with " + training.optimizer;
    add_attributes(out, training.options);
    out += " learning_rate " + to_text(training.learning_rate);
    if (!training.clipping.items().empty()) add_attributes(out, training.clipping);
    out += "\n";
  }
  return out;
}

}  // namespace penstock::program
