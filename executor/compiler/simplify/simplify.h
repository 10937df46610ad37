#pragma once

#include "schema/program/program.h"

namespace penstock::compiler {

/// Folds scalar arithmetic, removes identities (a reshape to the same shape, x + 0, x * 1, ...),
/// merges equal nodes and drops dead ones. Results keep their values; x + 0 may turn -0 into +0.
/// Regions stay regions.
/// Threads: pure
program::Program simplify(program::Program program);

}  // namespace penstock::compiler
