#pragma once

#include "executor/compiler/differentiate/backward.h"
#include "schema/program/builder.h"
#include "schema/program/program.h"

namespace penstock::compiler {

/// Bounds the gradients as the training section says. With a bound on their norm, the norm before
/// it becomes output `gradient_norm`. Gradients are global values here: each is summed over devices
/// before its square is taken. Source: torch.nn.utils.clip_grad_norm_, clip_grad_value_ Errors:
/// already_exists if the entry has that output
Result<Gradients> clip(program::Builder& builder, const program::Training& training,
                       Gradients gradients);

}  // namespace penstock::compiler
