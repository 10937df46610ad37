#pragma once

#include <cstdint>
#include <string_view>

#include "penstock/tensor.h"
#include "schema/program/program.h"

namespace penstock::detail {

/// The true rows of a call, with everything checked that the program says about its inputs: names,
/// element types, extents, and that all batch dimensions agree. 0 where no input has one.
/// Errors: invalid_argument naming entry, input and both types; not_found for an unknown entry
Result<std::int64_t> check_inputs(const program::Program& program, std::string_view entry,
                                  const Tensors& inputs);

/// Whether `value` has the variable's type.
/// Errors: not_found; invalid_argument
Status check_variable(const program::Program& program, std::string_view variable,
                      const Tensor& value);

}  // namespace penstock::detail
