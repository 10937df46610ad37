#pragma once

#include "base/result.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

struct Differentiated {
  program::Program program;
  program::Plan plan;
};

/// Turns `training` into the entries
///   step              forward, backward and optimizer in one
///   forward_backward  adds the gradients to the variables `gradient/<parameter>`
///   update            applies the optimizer to them and clears them
///   evaluate          forward only
/// and the variables `optimizer/step`, `optimizer/learning_rate`, `optimizer/<parameter>/...`.
/// What the plan says of the training entry's inputs holds for the new entries, what it says of a
/// parameter for its gradient and optimizer state. A program without training passes unchanged.
/// Errors: invalid_argument naming variable or op; already_exists for a taken name
/// Source: reverse mode; Griewank and Walther, Evaluating Derivatives, 2008
Result<Differentiated> differentiate(program::Program program, program::Plan plan);

}  // namespace penstock::compiler
