#include "schema/program/verify.h"

#include <cmath>
#include <unordered_set>

#include "schema/program/op.h"
#include "schema/program/optimizers.h"

namespace penstock::program {
namespace {

using Names = std::unordered_set<std::string_view>;

Error exhausted(std::string what, std::int64_t limit) {
  return {ErrorCode::resource_exhausted,
          std::move(what) + ", more than the limit of " + std::to_string(limit)};
}

Status check_count(std::size_t count, std::int64_t limit, std::string_view what) {
  if (static_cast<std::int64_t>(count) <= limit) return {};
  return exhausted("there are " + std::to_string(count) + " " + std::string(what), limit);
}

/// Names of a kind are well formed and unique.
Status check_new_name(Names& names, std::string_view name, const Limits& limits) {
  PENSTOCK_TRY(check_name(name, limits));
  if (names.insert(name).second) return {};
  return Error{ErrorCode::already_exists, "the name is taken already"};
}

Status in_place(Status status, std::string_view kind, std::string_view name) {
  if (status.ok()) return status;
  return std::move(status).error().in(std::string(kind) + " " + std::string(name.substr(0, 80)));
}

Status check_variable(const Variable& variable, Names& names, const Limits& limits) {
  PENSTOCK_TRY(check_new_name(names, variable.name, limits));
  PENSTOCK_TRY(check_shape(variable.type.shape, limits));
  if (dynamic_dim(variable.type.shape) >= 0)
    return invalid(to_text(variable.type) + " is dynamic; a variable has a static shape");
  const Initializer& initializer = variable.initializer;
  if (!std::isfinite(initializer.a) || !std::isfinite(initializer.b))
    return invalid("the initializer's numbers must be finite");
  if (initializer.kind == Initializer::Kind::constant && initializer.b != 0)
    return invalid("a constant initializer has one number");
  if (initializer.kind == Initializer::Kind::uniform && initializer.a > initializer.b)
    return invalid("uniform(" + to_text(initializer.a) + ", " + to_text(initializer.b) +
                   "): the lower bound is above the upper one");
  if (initializer.kind == Initializer::Kind::normal && initializer.b < 0)
    return invalid("normal: the standard deviation " + to_text(initializer.b) + " is negative");
  if (variable.trainable && !is_float(variable.type.dtype))
    return invalid("a trainable variable must be floating point, not " + to_text(variable.type));
  return {};
}

/// Checks one entry, value by value in order, so that every use has its definition behind it.
class EntryCheck {
 public:
  EntryCheck(const Program& program, const Entry& entry, const Limits& limits)
      : program_(program), entry_(entry), limits_(limits) {}

  Status run() {
    PENSTOCK_TRY(check_count(entry_.nodes.size(), limits_.nodes_per_entry, "nodes"));
    PENSTOCK_TRY(check_count(entry_.values.size(), 8 * limits_.nodes_per_entry, "values"));
    while (next_ < entry_.values.size()) {
      const Source source = entry_.values[next_].source;
      PENSTOCK_TRY(source == Source::node    ? check_node()
                   : source == Source::input ? check_input()
                                             : check_read());
    }
    if (next_node_ != entry_.nodes.size())
      return invalid("node " + std::to_string(next_node_) + " defines no value");
    if (batch_sizes_ > 0 && !batch_)
      return invalid("batch_size is used, but no input has a dynamic dimension");
    PENSTOCK_TRY(check_outputs());
    return check_writes();
  }

 private:
  std::string here() const { return "%" + std::to_string(next_); }

  Status check_batch(const TensorType& type) {
    const int dim = dynamic_dim(type.shape);
    if (dim < 0) return {};
    const std::int64_t bound = type.shape[static_cast<std::size_t>(dim)].bound;
    if (!batch_) batch_ = bound;
    if (*batch_ == bound) return {};
    return invalid("the batch bound of " + to_text(type) + " differs from " +
                   std::to_string(*batch_) + " before; an entry has one batch");
  }

  Status check_input() {
    const ValueInfo& value = entry_.values[next_];
    const std::string place = "input " + value.name.substr(0, 80) + " " + here();
    Status status = [&]() -> Status {
      PENSTOCK_TRY(check_new_name(inputs_, value.name, limits_));
      PENSTOCK_TRY(check_shape(value.type.shape, limits_));
      PENSTOCK_TRY(check_batch(value.type));
      if (value.index != 0) return invalid("an input has no index");
      return {};
    }();
    if (!status.ok()) return std::move(status).error().in(place);
    ++next_;
    return {};
  }

  Status check_read() {
    const ValueInfo& value = entry_.values[next_];
    const auto index = static_cast<std::size_t>(value.index);  // a negative one becomes huge
    if (index >= program_.variables.size())
      return invalid("read " + here() + ": there is no variable " + std::to_string(value.index));
    const Variable& variable = program_.variables[index];
    const std::string place = "read " + variable.name + " " + here() + ": ";
    if (value.type != variable.type)
      return invalid(place + "is typed " + to_text(value.type) + ", the variable is " +
                     to_text(variable.type));
    if (!reads_.insert(variable.name).second)
      return Error{ErrorCode::already_exists, place + "the variable is read already"};
    if (!value.name.empty()) return invalid(place + "only inputs have names");
    ++next_;
    return {};
  }

  Status check_node() {
    if (entry_.values[next_].index != static_cast<std::int32_t>(next_node_) ||
        next_node_ >= entry_.nodes.size())
      return invalid("value " + here() + " is said to come from node " +
                     std::to_string(entry_.values[next_].index) + ", but node " +
                     std::to_string(next_node_) + " is next");
    const Node& node = entry_.nodes[next_node_];
    if (node.op >= op_table().size())
      return invalid("value " + here() + ": there is no op " + std::to_string(node.op));
    const OpRow& row = op_row(node.op);
    const std::string place = std::string(row.name) + " " + here();
    Status status = check_application(node, row);
    if (!status.ok()) return std::move(status).error().in(place);
    if (row.name == "batch_size") ++batch_sizes_;
    next_ += node.outputs.size();
    ++next_node_;
    return {};
  }

  Status check_application(const Node& node, const OpRow& row) {
    PENSTOCK_TRY(check_count(node.inputs.size(), limits_.inputs_per_node, "operands"));
    operands_.clear();
    for (const ValueId id : node.inputs) {
      if (id.index < 0 || static_cast<std::size_t>(id.index) >= next_)
        return invalid("operand %" + std::to_string(id.index) + " is not defined before " + here());
      operands_.push_back(entry_.type(id));
    }
    PENSTOCK_ASSIGN(const Types results, infer_types(row, {operands_, node.attributes}, limits_));
    if (results.size() != node.outputs.size())
      return invalid("has " + std::to_string(results.size()) + " results, " +
                     std::to_string(node.outputs.size()) + " are defined");
    for (std::size_t i = 0; i < results.size(); ++i) PENSTOCK_TRY(check_result(node, results, i));
    return {};
  }

  Status check_result(const Node& node, const Types& results, std::size_t i) {
    const std::size_t at = next_ + i;
    const std::string name = "%" + std::to_string(at);
    if (node.outputs[i].index != static_cast<std::int32_t>(at) || at >= entry_.values.size())
      return invalid("result " + std::to_string(i) + " must be the next value, " + name);
    const ValueInfo& value = entry_.values[at];
    if (value.source != Source::node || value.index != static_cast<std::int32_t>(next_node_) ||
        !value.name.empty())
      return invalid("result " + name + " does not name this node as its source");
    if (value.type != results[i])
      return invalid("result " + name + " is typed " + to_text(value.type) + ", but it is " +
                     to_text(results[i]));
    return check_batch(value.type);
  }

  Status check_defined(ValueId id) const {
    if (id.index >= 0 && static_cast<std::size_t>(id.index) < entry_.values.size()) return {};
    return invalid("there is no value %" + std::to_string(id.index));
  }

  Status check_outputs() const {
    Names names;
    for (const NamedValue& output : entry_.outputs) {
      PENSTOCK_TRY(in_place(check_new_name(names, output.name, limits_), "output", output.name));
      PENSTOCK_TRY(in_place(check_defined(output.value), "output", output.name));
    }
    return {};
  }

  Status check_writes() const {
    Names names;
    for (const VariableWrite& write : entry_.writes) {
      const auto index = static_cast<std::size_t>(write.variable);
      if (index >= program_.variables.size())
        return invalid("write: there is no variable " + std::to_string(write.variable));
      const Variable& variable = program_.variables[index];
      const std::string place = "write " + variable.name + ": ";
      if (!names.insert(variable.name).second)
        return Error{ErrorCode::already_exists, place + "the variable is written already"};
      PENSTOCK_TRY(in_place(check_defined(write.value), "write", variable.name));
      if (entry_.type(write.value) != variable.type)
        return invalid(place + "the value %" + std::to_string(write.value.index) + " is " +
                       to_text(entry_.type(write.value)) + ", the variable is " +
                       to_text(variable.type));
    }
    return {};
  }

  const Program& program_;
  const Entry& entry_;
  const Limits& limits_;
  std::size_t next_ = 0;       // the value to check
  std::size_t next_node_ = 0;  // the node that must define it, if a node does
  std::size_t batch_sizes_ = 0;
  std::optional<std::int64_t> batch_;
  Names inputs_, reads_;
  Types operands_;
};

/// The optimizer's own checks, on a parameter of no dimensions.
Status check_optimizer(const Training& training) {
  const std::optional<OpIndex> op = find_op(training.optimizer);
  const OptimizerRow* row = find_optimizer(training.optimizer);
  if (!op || row == nullptr)
    return invalid("there is no optimizer '" + training.optimizer.substr(0, 80) + "'; there are " +
                   optimizer_names());
  Types operands(2 + row->states.size(), TensorType{DType::f32, {}});
  if (row->counts) operands.push_back({DType::i64, {}});
  operands.push_back({DType::f64, {}});  // the learning rate
  Result<Types> types = infer_types(op_row(*op), {operands, training.options});
  if (!types.ok()) return std::move(types).error().in(training.optimizer);
  return {};
}

Status check_loss(const Program& program, const Training& training) {
  const Entry* entry = program.find_entry(training.entry);
  if (entry == nullptr) return invalid("there is no entry '" + training.entry.substr(0, 80) + "'");
  for (const NamedValue& output : entry->outputs) {
    if (output.name != training.loss) continue;
    const TensorType& type = entry->type(output.value);
    if (type.shape.empty() && is_float(type.dtype)) return {};
    return invalid("the loss '" + training.loss + "' must be a floating-point scalar, not " +
                   to_text(type) + "; take its mean");
  }
  return invalid("entry " + training.entry + " has no output '" + training.loss.substr(0, 80) +
                 "'");
}

Status check_training(const Program& program, const Training& training) {
  PENSTOCK_TRY(check_loss(program, training));
  PENSTOCK_TRY(check_optimizer(training));
  if (!std::isfinite(training.learning_rate) || training.learning_rate < 0)
    return invalid("learning rate " + to_text(training.learning_rate) +
                   " must be finite and not negative");
  for (const auto& [name, value] : training.clipping.items()) {
    const auto* bound = std::get_if<double>(&value);
    if (name != "clip_norm" && name != "clip_value")
      return invalid("there is no '" + name.substr(0, 80) +
                     "' in training; there are clip_norm and " + "clip_value");
    if (bound == nullptr || !(*bound > 0) || !std::isfinite(*bound))
      return invalid(name + " = " + to_text(value) + " must be a positive number");
  }
  for (const Variable& variable : program.variables)
    if (variable.trainable) return {};
  return invalid("no variable is trainable");
}

}  // namespace

Status verify(const Program& program, const Limits& limits) {
  PENSTOCK_TRY(check_count(program.variables.size(), limits.variables, "variables"));
  PENSTOCK_TRY(check_count(program.entries.size(), limits.entries, "entries"));
  Names variables, entries;
  for (const Variable& variable : program.variables)
    PENSTOCK_TRY(in_place(check_variable(variable, variables, limits), "variable", variable.name));
  for (const Entry& entry : program.entries) {
    PENSTOCK_TRY(in_place(check_new_name(entries, entry.name, limits), "entry", entry.name));
    Status status = EntryCheck(program, entry, limits).run();
    if (!status.ok())
      return Error{status.error().code,
                   "entry " + entry.name + ", " + std::move(status).error().message};
  }
  if (!program.training) return {};
  Status status = check_training(program, *program.training);
  if (!status.ok()) return std::move(status).error().in("train");
  return {};
}

}  // namespace penstock::program
