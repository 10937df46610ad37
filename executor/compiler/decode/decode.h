#pragma once

#include <string_view>

#include "base/result.h"
#include "schema/program/program.h"

namespace penstock::compiler {

/// Wire text to a program, trusting nothing: sizes are bounded before anything is allocated, and
/// the result is acyclic, typed and within limits. Errors: invalid_argument naming line or op;
/// unimplemented for a newer format
Result<program::Program> decode(std::string_view text);

}  // namespace penstock::compiler
