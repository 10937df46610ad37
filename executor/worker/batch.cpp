#include "executor/worker/batch.h"

#include <algorithm>

#include "executor/worker/slices.h"

namespace penstock::executor {
namespace {

std::string names_of(const std::vector<compiler::Port>& ports) {
  std::string text;
  for (const auto& port : ports) text += (text.empty() ? "" : ", ") + port.name;
  return text.empty() ? "none" : text;
}

Status check_size(const compiler::ExecutableEntry& entry, std::int64_t size) {
  const BatchBound bound = batch_bound(entry);
  const std::string place = "entry " + entry.name;
  if (!bound.dynamic) {
    if (size == 0) return {};
    return invalid(place + ": the batch has " + std::to_string(size) +
                   " rows, but the entry has no batch dimension; leave the size 0");
  }
  if (size < 1)
    return invalid(place + ": a batch of " + std::to_string(size) + " rows; give at least one");
  if (size > bound.rows_max)
    return invalid(place + ": a batch of " + std::to_string(size) + " rows, but at most " +
                   std::to_string(bound.rows_max) + " were declared; send smaller batches");
  return {};
}

Status check_tensor(const std::string& place, const program::TensorType& wanted,
                    const GivenTensor& given) {
  if (!(wanted == given.type))
    return invalid(place + ": got " + program::to_text(given.type) + ", need " +
                   program::to_text(wanted));
  if (given.bytes.size() != static_cast<std::size_t>(program::byte_count(wanted)))
    return invalid(place + ": " + std::to_string(given.bytes.size()) + " bytes came for " +
                   program::to_text(wanted) + ", which has " +
                   std::to_string(program::byte_count(wanted)));
  return {};
}

}  // namespace

BatchBound batch_bound(const compiler::ExecutableEntry& entry) {
  BatchBound bound;
  for (const auto& port : entry.inputs) {
    const int dim = program::dynamic_dim(port.global.shape);
    if (dim < 0) continue;
    bound.dynamic = true;
    bound.rows_max = port.global.shape[static_cast<std::size_t>(dim)].bound;
  }
  return bound;
}

Result<std::vector<GivenTensor>> check_batch(const compiler::ExecutableEntry& entry,
                                             const GivenBatch& batch) {
  PENSTOCK_TRY(check_size(entry, batch.size));
  std::vector<GivenTensor> ordered;
  for (const auto& port : entry.inputs) {
    const auto same_name = [&](const GivenTensor& given) { return given.name == port.name; };
    const auto found = std::find_if(batch.inputs.begin(), batch.inputs.end(), same_name);
    if (found == batch.inputs.end())
      return invalid("entry " + entry.name + ": input " + port.name +
                     " is missing; it takes: " + names_of(entry.inputs));
    if (std::count_if(batch.inputs.begin(), batch.inputs.end(), same_name) > 1)
      return invalid("entry " + entry.name + ": input " + port.name + " came more than once");
    PENSTOCK_TRY(check_tensor("entry " + entry.name + ", input " + port.name,
                              with_rows(port.global, batch.size), *found));
    ordered.push_back(*found);
  }
  for (const auto& given : batch.inputs) {
    const bool known = std::any_of(entry.inputs.begin(), entry.inputs.end(),
                                   [&](const auto& port) { return port.name == given.name; });
    if (!known)
      return invalid("entry " + entry.name + ": there is no input '" + given.name +
                     "'; it takes: " + names_of(entry.inputs));
  }
  return ordered;
}

Status check_variable(const program::Variable& variable, const GivenTensor& given) {
  return check_tensor("variable " + variable.name, variable.type, given);
}

}  // namespace penstock::executor
