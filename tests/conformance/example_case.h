#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "schema/program/op.h"
#include "tests/conformance/reference.h"

namespace penstock::conformance {

/// One example of one op at one batch size, with its operands drawn.
struct ExampleCase {
  const program::OpRow* row = nullptr;
  program::Example example;
  program::Types declared_results;  // as inferred from the example's bounds
  std::int64_t rows = 0;            // true size of the batch, where one is dynamic
  std::vector<Array> operands;

  std::string text() const;  // "matmul f64[3,5] f64[5,2] {..} rows 0"
};

/// All examples of the list, each at its batch bound and below it; the draws depend on nothing but
/// the list.
std::vector<ExampleCase> example_cases();

/// The type with `rows` in place of the dynamic bound.
program::TensorType with_rows(program::TensorType type, std::int64_t rows);

/// The largest difference, in units of `1 + largest |expected|`. Infinite where one side is not
/// finite and the other differs, or the shapes differ.
double distance(const Array& got, const Array& expected);

}  // namespace penstock::conformance
