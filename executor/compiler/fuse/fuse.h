#pragma once

#include "executor/compiler/schedule/schedule.h"

namespace penstock::compiler {

/// Joins maps that use one another's results into single passes over memory: what a map makes for
/// maps of the same shape alone is never stored. Steps move only where nothing between depends on
/// them, so that communications start no later. Bytes moved never go up.
/// Threads: pure
ScheduledProgram fuse(ScheduledProgram program);

}  // namespace penstock::compiler
