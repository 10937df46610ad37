#pragma once

#include "executor/compiler/target.h"
#include "executor/runtime/cpu/convolutions.h"
#include "schema/program/kernel.h"

namespace penstock::runtime::cpu {

/// Scratch bytes of a convolve kernel on these types, from their bounds.
std::int64_t convolve_scratch(program::Kernel kernel, program::OpInputs in,
                              const program::TensorType& result, Convolutions& convolutions);

}  // namespace penstock::runtime::cpu
