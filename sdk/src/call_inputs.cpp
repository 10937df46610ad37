#include "sdk/src/call_inputs.h"

#include <optional>
#include <string>

namespace penstock::detail {
namespace {

/// Whether a tensor fits an input; the rows that it brings go to `rows`.
bool fits(const Tensor& tensor, const TensorType& type, std::optional<std::int64_t>& rows) {
  if (tensor.dtype() != type.dtype || tensor.shape().size() != type.shape.size()) return false;
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    const std::int64_t extent = tensor.shape()[i];
    if (!type.shape[i].dynamic && extent != type.shape[i].bound) return false;
    if (!type.shape[i].dynamic) continue;
    if (extent < 1 || extent > type.shape[i].bound) return false;
    rows = extent;
  }
  return true;
}

std::string input_names(const program::Entry& entry) {
  std::string names;
  for (const program::ValueInfo& value : entry.values)
    if (value.source == program::Source::input) names += (names.empty() ? "" : ", ") + value.name;
  return names.empty() ? "none" : names;
}

}  // namespace

Result<std::int64_t> check_inputs(const program::Program& program, std::string_view entry_name,
                                  const Tensors& inputs) {
  const program::Entry* entry = program.find_entry(entry_name);
  if (entry == nullptr)
    return Error{ErrorCode::not_found,
                 "run: the program has no entry '" + std::string(entry_name) + "'"};
  const std::string place = "entry " + std::string(entry_name);
  std::size_t known = 0;
  std::int64_t batch_rows = 0;
  for (const program::ValueInfo& value : entry->values) {
    if (value.source != program::Source::input) continue;
    const auto given = inputs.find(value.name);
    if (given == inputs.end())
      return invalid(place + ": input '" + value.name + "' is missing; the call must bring " +
                     input_names(*entry));
    ++known;
    std::optional<std::int64_t> rows;
    if (!fits(given->second, value.type, rows))
      return invalid(place + ": input '" + value.name + "' is " + given->second.text() +
                     ", the program wants " + program::to_text(value.type));
    if (rows && batch_rows != 0 && *rows != batch_rows)
      return invalid(place + ": input '" + value.name + "' has " + std::to_string(*rows) +
                     " rows, another has " + std::to_string(batch_rows));
    if (rows) batch_rows = *rows;
  }
  if (known == inputs.size()) return batch_rows;
  for (const auto& [name, tensor] : inputs) {
    bool found = false;
    for (const program::ValueInfo& value : entry->values)
      found = found || (value.source == program::Source::input && value.name == name);
    if (!found)
      return invalid(place + ": it has no input '" + name + "'; it has " + input_names(*entry));
  }
  return batch_rows;
}

Status check_variable(const program::Program& program, std::string_view variable,
                      const Tensor& value) {
  const auto index = program.find_variable(variable);
  if (!index) return {};  // the compiler's own, such as an optimizer's state: the leader knows it
  const TensorType& type = program.variables[static_cast<std::size_t>(*index)].type;
  std::optional<std::int64_t> rows;
  if (fits(value, type, rows)) return {};
  return invalid("write of variable " + std::string(variable) + ": the value is " + value.text() +
                 ", the variable is " + program::to_text(type));
}

}  // namespace penstock::detail
