#pragma once

#include <map>

#include "base/result.h"
#include "schema/program/builder.h"
#include "schema/program/program.h"

namespace penstock::compiler {

/// Gradients by the index of the variable.
using Gradients = std::map<std::int32_t, program::ValueId>;

/// Appends the reverse pass of the scalar `loss` to the builder's entry and returns the gradient of
/// every trainable variable. Regions keep their own gradient.
/// Errors: invalid_argument naming a trainable variable that the loss does not depend on, or an op
///         without a gradient between such a variable and the loss
Result<Gradients> append_backward(program::Builder& builder, program::ValueId loss);

}  // namespace penstock::compiler
