#include "penstock/program.h"

#include "schema/program/builder.h"
#include "schema/program/text.h"
#include "sdk/src/graph.h"

namespace penstock {

using detail::Graph;
using detail::GraphAccess;
using program::ValueId;

namespace detail {

Value GraphAccess::make(std::shared_ptr<Graph> graph, int entry, int index) {
  Value value;
  value.graph_ = std::move(graph);
  value.entry_ = entry;
  value.index_ = index;
  return value;
}

Value GraphAccess::bind(const Value& value, const Value& where) {
  if (value.graph_ == nullptr || value.graph_ != where.graph_) return value;
  if (!is_variable(value) || is_variable(where)) return value;
  const ValueId id = value_or_throw(resolve(*value.graph_, where.entry_, value, "read"));
  return make(value.graph_, where.entry_, id.index);
}

Result<ValueId> GraphAccess::resolve(const Graph& graph, int entry, const Value& value,
                                     std::string_view user) {
  if (value.graph_ == nullptr)
    return invalid(std::string(user) +
                   ": a value that names nothing (default-constructed) is used");
  if (value.graph_.get() != &graph)
    return invalid(std::string(user) + ": " + value.text() + " belongs to another program");
  program::Program& program = value.graph_->program;
  if (is_variable(value))
    return program::Builder(program, static_cast<std::size_t>(entry))
        .try_read(program.variables[static_cast<std::size_t>(value.index_)].name);
  if (value.entry_ != entry)
    return invalid(
        std::string(user) + ": " + value.text() + " belongs to entry '" +
        program.entries[static_cast<std::size_t>(value.entry_)].name + "' and is used in entry '" +
        program.entries[static_cast<std::size_t>(entry)].name + "'; entries share variables only");
  return ValueId{value.index_};
}

int find_or_add_entry(Graph& graph, std::string_view name) {
  auto& entries = graph.program.entries;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name) return static_cast<int>(i);
  const program::Limits limits;
  value_or_throw(program::check_name(name, limits));
  if (static_cast<std::int64_t>(entries.size()) >= limits.entries)
    throw Exception({ErrorCode::resource_exhausted,
                     "entry '" + std::string(name) + "': the program has " +
                         std::to_string(limits.entries) + " entries, which is the limit"});
  entries.emplace_back();
  entries.back().name = std::string(name);
  return static_cast<int>(entries.size()) - 1;
}

namespace {

std::vector<Value> apply_to(const std::shared_ptr<Graph>& graph, int entry, std::string_view op,
                            std::span<const Value> operands, program::Attributes attributes) {
  std::vector<ValueId> ids;
  for (const Value& operand : operands)
    ids.push_back(value_or_throw(GraphAccess::resolve(*graph, entry, operand, op)));
  program::Builder builder(graph->program, static_cast<std::size_t>(entry));
  std::vector<Value> out;
  for (const ValueId result : value_or_throw(builder.try_apply(op, ids, std::move(attributes))))
    out.push_back(GraphAccess::make(graph, entry, result.index));
  return out;
}

}  // namespace

Value apply_in(const Value& where, std::string_view op, program::Attributes attributes) {
  const std::shared_ptr<Graph>& graph = GraphAccess::graph(where);
  if (graph == nullptr)
    throw Exception(invalid(std::string(op) + ": a value that names nothing is used"));
  const int entry = GraphAccess::is_variable(where) ? find_or_add_entry(*graph, "main")
                                                    : GraphAccess::entry(where);
  return apply_to(graph, entry, op, {}, std::move(attributes))[0];
}

Value apply(std::string_view op, std::span<const Value> operands, program::Attributes attributes) {
  return apply_all(op, operands, std::move(attributes))[0];
}

std::vector<Value> apply_all(std::string_view op, std::span<const Value> operands,
                             program::Attributes attributes) {
  const Value* where = &operands[0];
  for (const Value& operand : operands)
    if (GraphAccess::graph(operand) != nullptr && !GraphAccess::is_variable(operand)) {
      where = &operand;
      break;
    }
  const std::shared_ptr<Graph>& graph = GraphAccess::graph(*where);
  if (graph == nullptr)
    throw Exception(invalid(std::string(op) + ": a value that names nothing is used"));
  const int entry = GraphAccess::is_variable(*where) ? find_or_add_entry(*graph, "main")
                                                     : GraphAccess::entry(*where);
  return apply_to(graph, entry, op, operands, std::move(attributes));
}

}  // namespace detail

TensorType Value::type() const {
  if (graph_ == nullptr) throw Exception(invalid("value: it names nothing"));
  const program::Program& program = graph_->program;
  if (entry_ < 0) return program.variables[static_cast<std::size_t>(index_)].type;
  return program.entries[static_cast<std::size_t>(entry_)].type(ValueId{index_});
}

std::string Value::text() const {
  if (graph_ == nullptr) return "(no value)";
  const std::string label =
      entry_ < 0 ? "variable " + graph_->program.variables[static_cast<std::size_t>(index_)].name
                 : "%" + std::to_string(index_);
  return label + ": " + program::to_text(type());
}

namespace init {
program::Initializer zeros() {
  return {program::Initializer::Kind::constant, 0, 0};
}
program::Initializer constant(double value) {
  return {program::Initializer::Kind::constant, value, 0};
}
program::Initializer uniform(double low, double high) {
  return {program::Initializer::Kind::uniform, low, high};
}
program::Initializer normal(double mean, double deviation) {
  return {program::Initializer::Kind::normal, mean, deviation};
}
}  // namespace init

Value Entry::input(std::string name, DType dtype, Shape shape) {
  program::Builder builder(graph_->program, static_cast<std::size_t>(index_));
  const ValueId id =
      value_or_throw(builder.try_input(std::move(name), TensorType{dtype, std::move(shape)}));
  return GraphAccess::make(graph_, index_, id.index);
}

void Entry::output(std::string name, const Value& value) {
  const ValueId id = value_or_throw(GraphAccess::resolve(*graph_, index_, value, "output " + name));
  program::Builder builder(graph_->program, static_cast<std::size_t>(index_));
  value_or_throw(builder.try_output(std::move(name), id));
}

void Entry::assign(const Value& variable, const Value& value) {
  if (GraphAccess::graph(variable) != graph_ || !GraphAccess::is_variable(variable))
    throw Exception(invalid("assign: " + variable.text() + " is not a variable of this program"));
  const std::string& name =
      graph_->program.variables[static_cast<std::size_t>(GraphAccess::index(variable))].name;
  const ValueId id = value_or_throw(GraphAccess::resolve(*graph_, index_, value, "write " + name));
  program::Builder builder(graph_->program, static_cast<std::size_t>(index_));
  value_or_throw(builder.try_write(name, id));
}

Program::Program() : graph_(std::make_shared<Graph>()) {}

Entry Program::entry(std::string_view name) {
  return Entry(graph_, detail::find_or_add_entry(*graph_, name));
}

Value Program::input(std::string name, DType dtype, Shape shape) {
  return entry("main").input(std::move(name), dtype, std::move(shape));
}

void Program::output(std::string name, const Value& value) {
  entry("main").output(std::move(name), value);
}

void Program::assign(const Value& variable, const Value& value) {
  entry("main").assign(variable, value);
}

Value Program::variable(std::string name, DType dtype, Shape shape,
                        program::Initializer initializer, VariableOptions options) {
  value_or_throw(program::add_variable(
      graph_->program, program::Variable{std::move(name), TensorType{dtype, std::move(shape)},
                                         initializer, options.trainable}));
  return GraphAccess::make(graph_, -1, static_cast<int>(graph_->program.variables.size()) - 1);
}

Value Program::variable(std::string_view name) const {
  const auto index = graph_->program.find_variable(name);
  if (!index)
    throw Exception({ErrorCode::not_found, "variable " + std::string(name.substr(0, 80)) +
                                               ": the program has no variable of this name"});
  return GraphAccess::make(graph_, -1, *index);
}

bool Program::has_variable(std::string_view name) const {
  return graph_->program.find_variable(name).has_value();
}

void Program::seed(std::uint64_t seed) {
  graph_->program.seed = seed;
}

Program Program::from_text(std::string_view text) {
  Program out;
  out.graph_->program = value_or_throw(program::parse(text));
  return out;
}

Value Program::output_value(std::string_view entry, std::string_view name) const {
  const auto& entries = graph_->program.entries;
  std::string known;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name != entry) continue;
    for (const program::NamedValue& output : entries[i].outputs) {
      if (output.name == name)
        return GraphAccess::make(graph_, static_cast<int>(i), output.value.index);
      known += (known.empty() ? "" : ", ") + output.name;
    }
  }
  throw Exception({ErrorCode::not_found, "program: entry '" + std::string(entry) +
                                             "' has no output '" + std::string(name) + "'" +
                                             (known.empty() ? "" : "; it has " + known)});
}

std::string Program::text() const {
  return program::print(graph_->program);
}

}  // namespace penstock
