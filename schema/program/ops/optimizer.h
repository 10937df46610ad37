#pragma once

#include <vector>

#include "schema/program/builder.h"
#include "schema/program/op.h"

namespace penstock::program {

/// What optimizer ops share: `tensors` operands of the parameter's floating-point type, then
/// scalars. Results: all of the tensors but operand 1, the gradient.
Result<Types> infer_optimizer(OpInputs in, std::size_t tensors);
/// Errors: invalid_argument unless the attribute is in [low, high).
Status check_range(const Attributes& attributes, std::string_view name, double low, double high);

/// Scalar arithmetic in the scalar's own type.
ValueId scalar_times(Builder& b, ValueId scalar, double factor);
/// `tensor` times an f64 scalar, rounded to the tensor's type first, as torch does.
ValueId scaled(Builder& b, ValueId tensor, ValueId f64_scalar);
ValueId scaled(Builder& b, ValueId tensor, double factor);

/// The shapes to try: `tensors` operands, then the scalars.
std::vector<Example> optimizer_examples(std::size_t tensors, const Types& scalars,
                                        const std::vector<Attributes>& settings);

}  // namespace penstock::program
