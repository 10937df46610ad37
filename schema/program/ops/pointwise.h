#pragma once

#include <span>
#include <vector>

#include "schema/program/op.h"

namespace penstock::program {

/// Which element types an op takes, of those that have kernels.
enum class Elements {
  floats,          // f32 f64
  signed_numbers,  // and i32 i64
  numbers,         // and u8
  any,             // and bool
  booleans,        // bool alone
};

/// Errors: invalid_argument naming the type and what is allowed.
Status check_elements(const TensorType& type, Elements elements);

/// The result has the operand's type.
Result<Types> infer_unary(OpInputs in, Elements elements);
/// Both operands have one type, dynamic dimensions included, and so has the result.
Result<Types> infer_binary(OpInputs in, Elements elements);

/// All operands have one type, and so has the result.
Result<Types> infer_alike(OpInputs in, Elements elements);

/// Bytes read and written when each operand and result is touched once.
double traffic(std::span<const TensorType> operands, std::span<const TensorType> results);
Cost pointwise_cost(OpInputs in, const TensorType& result, double flop_per_element);

/// The linearity if the operands are floating point: integers wrap and truncate, so that a sum of
/// parts may be another number.
Linearity for_floats(OpInputs in, Linearity linearity);

/// Operands of one type each: a scalar, no element, one, odd and large sizes, a batch, and the
/// integer types that the op takes.
struct ExampleRange {
  double low = -2, high = 2;
};
std::vector<Example> pointwise_examples(std::size_t operands, Elements elements,
                                        ExampleRange range = {});

/// Operands with attribute `dims`; the second has no element along them.
std::vector<Example> reduction_examples(Elements elements, ExampleRange range = {});

/// The examples under each set of attributes.
std::vector<Example> with_attributes(const std::vector<Example>& examples,
                                     const std::vector<Attributes>& sets);

/// The shapes of pointwise_examples.
std::vector<Shape> example_shapes();

}  // namespace penstock::program
