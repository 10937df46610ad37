#include "schema/program/builder.h"

#include "base/check.h"
#include "schema/program/ops/broadcast.h"

namespace penstock::program {
namespace {

std::string place(std::string_view op, std::size_t value) {
  return std::string(op) + " %" + std::to_string(value);
}

ValueId next_value(const Entry& entry) {
  return {static_cast<std::int32_t>(entry.values.size())};
}

bool exists(const Entry& entry, ValueId id) {
  return id.index >= 0 && static_cast<std::size_t>(id.index) < entry.values.size();
}

Error no_value(ValueId id) {
  return invalid("there is no value %" + std::to_string(id.index) + " in the entry");
}

/// All dynamic dimensions of an entry are one number, so they have one bound.
Status check_batch(const Entry& entry, const TensorType& type) {
  const int dim = dynamic_dim(type.shape);
  if (dim < 0) return {};
  for (const ValueInfo& value : entry.values) {
    const int other = dynamic_dim(value.type.shape);
    if (other < 0) continue;
    if (value.type.shape[static_cast<std::size_t>(other)] ==
        type.shape[static_cast<std::size_t>(dim)])
      return {};
    return invalid("the batch bound of " + to_text(type) + " differs from that of " +
                   to_text(value.type) + "; an entry has one batch");
  }
  return {};
}

Status check_room(const Entry& entry) {
  const Limits limits;
  if (static_cast<std::int64_t>(entry.nodes.size()) < limits.nodes_per_entry) return {};
  return Error{ErrorCode::resource_exhausted,
               "the entry has " + std::to_string(limits.nodes_per_entry) +
                   " nodes, which is the limit; split it into several entries"};
}

Result<ValueId> add_input(Entry& entry, std::string name, TensorType type) {
  PENSTOCK_TRY(check_name(name, {}));
  for (const ValueInfo& value : entry.values)
    if (value.source == Source::input && value.name == name)
      return Error{ErrorCode::already_exists, "the entry has an input of this name already"};
  PENSTOCK_TRY(check_shape(type.shape, {}));
  PENSTOCK_TRY(check_batch(entry, type));
  const ValueId id = next_value(entry);
  entry.values.push_back({std::move(type), Source::input, 0, std::move(name)});
  return id;
}

Result<std::vector<ValueId>> add_node(Entry& entry, const OpRow& row, OpIndex op,
                                      std::span<const ValueId> inputs, Attributes attributes) {
  PENSTOCK_TRY(check_room(entry));
  Types operands;
  for (const ValueId id : inputs) {
    if (!exists(entry, id)) return no_value(id);
    operands.push_back(entry.type(id));
  }
  PENSTOCK_ASSIGN(Attributes complete, complete_attributes(row, std::move(attributes)));
  PENSTOCK_ASSIGN(Types results, infer_types(row, {operands, complete}));
  for (const TensorType& type : results) PENSTOCK_TRY(check_batch(entry, type));
  Node node{op, std::move(complete), {inputs.begin(), inputs.end()}, {}};
  for (TensorType& type : results) {
    node.outputs.push_back(next_value(entry));
    entry.values.push_back(
        {std::move(type), Source::node, static_cast<std::int32_t>(entry.nodes.size()), {}});
  }
  std::vector<ValueId> outputs = node.outputs;
  entry.nodes.push_back(std::move(node));
  return outputs;
}

}  // namespace

Result<ValueId> Builder::try_input(std::string name, TensorType type) {
  const std::string where = "input " + name.substr(0, 80);
  Result<ValueId> id = add_input(program_.entries[entry_], std::move(name), std::move(type));
  if (!id.ok()) return std::move(id).error().in(where);
  return id;
}

Result<ValueId> Builder::try_read(std::string_view variable) {
  const std::optional<std::int32_t> index = program_.find_variable(variable);
  if (!index)
    return Error{ErrorCode::not_found, "read " + std::string(variable.substr(0, 80)) +
                                           ": there is no such variable; declare it first"};
  Entry& entry = program_.entries[entry_];
  for (std::size_t i = 0; i < entry.values.size(); ++i)
    if (entry.values[i].source == Source::variable && entry.values[i].index == *index)
      return ValueId{static_cast<std::int32_t>(i)};
  const ValueId id = next_value(entry);
  entry.values.push_back(
      {program_.variables[static_cast<std::size_t>(*index)].type, Source::variable, *index, {}});
  return id;
}

Result<std::vector<ValueId>> Builder::try_apply(std::string_view op,
                                                std::span<const ValueId> inputs,
                                                Attributes attributes) {
  const std::optional<OpIndex> index = find_op(op);
  if (!index) return invalid("there is no op '" + std::string(op.substr(0, 80)) + "'");
  Entry& entry = program_.entries[entry_];
  const std::string where = place(op, entry.values.size());
  auto outputs = add_node(entry, op_row(*index), *index, inputs, std::move(attributes));
  if (!outputs.ok()) return std::move(outputs).error().in(where);
  return outputs;
}

Status Builder::try_output(std::string name, ValueId value) {
  const std::string where = "output " + name.substr(0, 80);
  Entry& entry = program_.entries[entry_];
  if (Status status = check_name(name, {}); !status.ok())
    return std::move(status).error().in(where);
  for (const NamedValue& output : entry.outputs)
    if (output.name == name)
      return Error{ErrorCode::already_exists,
                   where + ": the entry has an output of this name already"};
  if (!exists(entry, value)) return no_value(value).in(where);
  entry.outputs.push_back({std::move(name), value});
  return {};
}

Status Builder::try_write(std::string_view variable, ValueId value) {
  const std::string where = "write " + std::string(variable.substr(0, 80));
  const std::optional<std::int32_t> index = program_.find_variable(variable);
  if (!index)
    return Error{ErrorCode::not_found, where + ": there is no such variable; declare it first"};
  Entry& entry = program_.entries[entry_];
  if (!exists(entry, value)) return no_value(value).in(where);
  for (const VariableWrite& write : entry.writes)
    if (write.variable == *index)
      return Error{ErrorCode::already_exists, where + ": the entry writes this variable already"};
  const TensorType& type = program_.variables[static_cast<std::size_t>(*index)].type;
  if (entry.type(value) != type)
    return invalid(where + ": the value %" + std::to_string(value.index) + " is " +
                   to_text(entry.type(value)) + ", the variable is " + to_text(type));
  entry.writes.push_back({*index, value});
  return {};
}

ValueId Builder::apply(std::string_view op, std::initializer_list<ValueId> inputs,
                       Attributes attributes) {
  return apply_all(op, {inputs.begin(), inputs.size()}, std::move(attributes))[0];
}

std::vector<ValueId> Builder::apply_all(std::string_view op, std::span<const ValueId> inputs,
                                        Attributes attributes) {
  return try_apply(op, inputs, std::move(attributes)).value();
}

ValueId Builder::constant(double value, DType dtype) {
  return apply("constant", {}, {{"value", value}, {"dtype", dtype}});
}

ValueId Builder::fill_like(double value, const TensorType& type) {
  const Shape shape = type.shape;  // `type` may lie in the entry that grows here
  return broadcast_scalar(constant(value, type.dtype), shape);
}

ValueId Builder::broadcast_scalar(ValueId scalar, const Shape& shape) {
  if (shape.empty()) return scalar;
  return broadcast(scalar, shape, {});
}

ValueId Builder::broadcast(ValueId value, const Shape& shape, std::vector<std::int64_t> dims) {
  return apply("broadcast", {value}, Broadcast::to(shape, std::move(dims)));
}

Status add_variable(Program& program, Variable variable, const Limits& limits) {
  const std::string where = "variable " + variable.name.substr(0, 80);
  if (Status s = check_name(variable.name, limits); !s.ok()) return std::move(s).error().in(where);
  if (program.find_variable(variable.name))
    return Error{ErrorCode::already_exists, where + ": there is a variable of this name already"};
  if (static_cast<std::int64_t>(program.variables.size()) >= limits.variables)
    return Error{ErrorCode::resource_exhausted, where + ": the program has " +
                                                    std::to_string(limits.variables) +
                                                    " variables, which is the limit"};
  if (Status s = check_shape(variable.type.shape, limits); !s.ok())
    return std::move(s).error().in(where);
  if (dynamic_dim(variable.type.shape) >= 0)
    return invalid(where + ": " + to_text(variable.type) +
                   " is dynamic; a variable has a static shape");
  program.variables.push_back(std::move(variable));
  return {};
}

}  // namespace penstock::program
