#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "executor/compiler/executable.h"
#include "schema/program/types.h"

namespace penstock::executor {

/// A tensor as it came from the client: true extents, bytes that somebody else owns.
struct GivenTensor {
  std::string name;
  program::TensorType type;
  std::span<const std::byte> bytes;
};

struct GivenBatch {
  std::int64_t size = 0;  // true global rows; 0 where the entry has no dynamic dimension
  std::vector<GivenTensor> inputs;
};

/// Whether an entry has a dynamic dimension, and how many rows it takes at most.
struct BatchBound {
  bool dynamic = false;
  std::int64_t rows_max = 0;
};
BatchBound batch_bound(const compiler::ExecutableEntry& entry);

/// Checks a call's inputs against what the entry takes: the set of names, element types, shapes,
/// and that all agree on the batch's size.
/// Returns: the inputs in the order of the entry's ports.
/// Errors: invalid_argument naming entry, input, and both shapes or sizes
/// Threads: pure
Result<std::vector<GivenTensor>> check_batch(const compiler::ExecutableEntry& entry,
                                             const GivenBatch& batch);

/// Checks a tensor's bytes and type against a variable.
Status check_variable(const program::Variable& variable, const GivenTensor& given);

}  // namespace penstock::executor
