#pragma once

#include <vector>

#include "executor/compiler/schedule/schedule.h"

namespace penstock::compiler {

/// The steps that read each root value, in order; the number of steps stands for the end of the
/// call. An operand of a communication is read until its result is first used: until then the
/// communication may be under way.
std::vector<std::vector<int>> uses_of(const Schedule& schedule);

/// Whether the step runs on the communicate stream.
bool communicates(const Step& step);

/// By write: whether the new value is made right in the variable's place.
std::vector<bool> writes_in_place(const Schedule& schedule);

/// Gives an all_reduce its own operands where it could not sum in place.
void copy_shared_operands(Schedule& schedule);

/// Copies results of communications that leave the call micro-batch by micro-batch, so that the
/// block that is communicated holds one micro-batch.
void copy_communicated_outputs(Schedule& schedule, const program::Mesh& mesh);

/// Copies, at the end, outputs that lie in a variable which is written, and new values of variables
/// that were not made in place. Writes that change nothing go. Returns, by value, the variable in
/// whose place it is made, or -1.
std::vector<int> copy_ends(Schedule& schedule, const program::Mesh& mesh);

}  // namespace penstock::compiler
