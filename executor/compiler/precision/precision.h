#pragma once

#include "base/result.h"
#include "schema/program/program.h"

namespace penstock::compiler {

/// Makes every cast explicit. The one policy so far is the program's own element types, so that
/// nothing changes; afterwards every value has an element type with kernels.
/// Errors: unimplemented naming the value and its type
Result<program::Program> choose_precision(program::Program program);

}  // namespace penstock::compiler
