#pragma once

#include "schema/program/program.h"

namespace penstock::program {

/// Whether a program is acyclic, well typed (every node's types are what its op infers), within
/// limits and consistent (unique names, existing variables, a scalar loss).
/// Errors: the first fault, named by entry, value number and op: `entry main, matmul %7: ...`.
Status verify(const Program& program, const Limits& limits = {});

}  // namespace penstock::program
