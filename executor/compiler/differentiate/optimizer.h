#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/compiler/differentiate/backward.h"
#include "schema/program/builder.h"
#include "schema/program/program.h"

namespace penstock::compiler {

inline constexpr std::string_view kStepVariable = "optimizer/step";
inline constexpr std::string_view kLearningRateVariable = "optimizer/learning_rate";

std::string gradient_variable(std::string_view parameter);
/// The state variables that the optimizer keeps for a parameter, in operand order.
std::vector<std::string> state_variables(std::string_view optimizer, std::string_view parameter);

/// Declares the step count, the learning rate, and gradient and state of every trainable variable.
/// Errors: already_exists or invalid_argument naming the variable; invalid_argument for an
///         optimizer that is none
Status declare_optimizer(program::Program& program, const program::Training& training);

/// Bounds the gradients, then appends one optimizer region per trainable variable, and the writes
/// of parameter and state. Errors: already_exists if the entry writes one of them already
Status append_optimizer(program::Builder& builder, const program::Training& training,
                        const Gradients& unbounded);

}  // namespace penstock::compiler
