#pragma once

#include "base/result.h"
#include "executor/compiler/place/placed_program.h"
#include "executor/compiler/schedule/schedule.h"
#include "executor/compiler/target.h"

namespace penstock::compiler {

/// Gives every value its place in one arena: variables at the start, where they stay, and the
/// values of each entry behind them. Broadcasts are folded into the maps that use them, reshapes
/// become views, maps and variable writes happen in place where nobody else reads the old value,
/// the members of a bucket lie side by side. Errors: resource_exhausted with the sizes if the peak
/// does not fit the target's memory;
///         unimplemented for an input or output cut over time along another dimension than the
///         first
Result<PlacedProgram> place(const ScheduledProgram& program, const Target& target);

/// Whether buffers that live at the same time lie apart, within the arena and behind the variables.
/// Errors: internal
Status verify(const PlacedProgram& program);

std::string print(const PlacedProgram& program);

}  // namespace penstock::compiler
