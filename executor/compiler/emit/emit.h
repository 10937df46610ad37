#pragma once

#include "base/result.h"
#include "executor/compiler/executable.h"
#include "executor/compiler/place/placed_program.h"

namespace penstock::compiler {

/// Cuts the steps into segments and orders the two streams by events. A communication starts right
/// behind the instruction before it; the first instruction that touches its block waits for it.
/// Threads: pure
Executable emit(const PlacedProgram& program);

/// Replays the instruction lists: every read is after the write of what it reads, no block that is
/// under way is touched, the offsets lie in the arena.
/// Errors: internal, naming entry and instruction
Status verify(const Executable& executable);

}  // namespace penstock::compiler
