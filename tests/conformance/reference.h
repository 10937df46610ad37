#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "schema/program/attributes.h"
#include "schema/program/program.h"
#include "schema/program/types.h"

namespace penstock::conformance {

/// A tensor in double precision. Its type's sizes are true ones: a dynamic dimension has as many
/// rows here as the call gives this device.
struct Array {
  program::TensorType type;
  std::vector<double> values;  // row-major; booleans are 0 or 1
};

/// One application, as the reference sees it.
struct ReferenceCall {
  std::span<const Array> operands;
  const program::Attributes& attributes;
  std::int64_t rows = 0;  // true size of the batch over all devices
};

/// What an op means, written from its definition with plain loops. It calls no op's inference,
/// expansion, rule or gradient, and no kernel.
using Reference = std::function<std::vector<Array>(const ReferenceCall&)>;

struct NamedReference {
  std::string_view name;
  Reference evaluate;
};

std::vector<NamedReference> elementwise_references();
std::vector<NamedReference>
movement_references();  // reduce_sum, reduce_max, reshape, broadcast, gather
std::vector<NamedReference> contraction_references();  // matmul, convolutions, pools
std::vector<NamedReference> region_references();
std::vector<NamedReference> reduction_references();
std::vector<NamedReference> indexing_references();  // slices, joins, gather, scatter, sort
std::vector<NamedReference> maths_references();     // functions, predicates, activations, losses

/// Null if the op has none.
Reference find_reference(std::string_view op);

/// Errors: a failed check if the op has no reference.
std::vector<Array> evaluate_reference(std::string_view op, const ReferenceCall& call);

/// All values of an entry, node by node. `inputs` are the entry's inputs in the order of its
/// values.
std::vector<Array> evaluate_entry(const program::Entry& entry, std::span<const Array> inputs,
                                  std::int64_t rows);

// Indexing ---------------------------------------------------------------------------------------

std::vector<std::int64_t> sizes(const Array& array);
std::int64_t size(const Array& array, std::size_t dim);
std::int64_t count(std::span<const std::int64_t> sizes);
/// An array of zeros.
Array zeros(program::DType dtype, program::Shape shape);
/// The index of the n-th element, and back.
std::vector<std::int64_t> unravel(std::int64_t n, std::span<const std::int64_t> sizes);
std::int64_t ravel(std::span<const std::int64_t> index, std::span<const std::int64_t> sizes);

}  // namespace penstock::conformance
