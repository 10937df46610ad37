#include "tests/conformance/reference.h"

#include <map>

#include "base/check.h"
#include "schema/program/op.h"

namespace penstock::conformance {
namespace {

std::map<std::string_view, Reference> all_references() {
  std::map<std::string_view, Reference> out;
  for (const auto& family :
       {elementwise_references(), movement_references(), contraction_references(),
        region_references(), maths_references(), reduction_references(), indexing_references()})
    for (const NamedReference& reference : family) out[reference.name] = reference.evaluate;
  return out;
}

}  // namespace

Reference find_reference(std::string_view op) {
  static const std::map<std::string_view, Reference> references = all_references();
  const auto at = references.find(op);
  return at == references.end() ? nullptr : at->second;
}

std::vector<Array> evaluate_reference(std::string_view op, const ReferenceCall& call) {
  const Reference reference = find_reference(op);
  PENSTOCK_CHECK(reference != nullptr, "op " + std::string(op) + " has no reference");
  return reference(call);
}

std::vector<Array> evaluate_entry(const program::Entry& entry, std::span<const Array> inputs,
                                  std::int64_t rows) {
  std::vector<Array> values(entry.values.size());
  std::size_t next_input = 0;
  for (std::size_t i = 0; i < entry.values.size(); ++i)
    if (entry.values[i].source == program::Source::input) values[i] = inputs[next_input++];
  PENSTOCK_CHECK(next_input == inputs.size());
  for (const program::Node& node : entry.nodes) {
    std::vector<Array> operands;
    for (const program::ValueId id : node.inputs)
      operands.push_back(values[static_cast<std::size_t>(id.index)]);
    std::vector<Array> results =
        evaluate_reference(program::op_row(node.op).name, {operands, node.attributes, rows});
    for (std::size_t i = 0; i < results.size(); ++i)
      values[static_cast<std::size_t>(node.outputs[i].index)] = std::move(results[i]);
  }
  return values;
}

std::vector<std::int64_t> sizes(const Array& array) {
  return program::bounds(array.type.shape);
}

std::int64_t size(const Array& array, std::size_t dim) {
  return array.type.shape[dim].bound;
}

std::int64_t count(std::span<const std::int64_t> sizes) {
  std::int64_t out = 1;
  for (const std::int64_t size : sizes) out *= size;
  return out;
}

Array zeros(program::DType dtype, program::Shape shape) {
  const auto elements = static_cast<std::size_t>(program::element_count(shape));
  return {{dtype, std::move(shape)}, std::vector<double>(elements, 0.0)};
}

std::vector<std::int64_t> unravel(std::int64_t n, std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> index(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    index[i] = n % sizes[i];
    n /= sizes[i];
  }
  return index;
}

std::int64_t ravel(std::span<const std::int64_t> index, std::span<const std::int64_t> sizes) {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) n = n * sizes[i] + index[i];
  return n;
}

}  // namespace penstock::conformance
