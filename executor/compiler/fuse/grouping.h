#pragma once

#include <vector>

#include "executor/compiler/schedule/schedule.h"

namespace penstock::compiler {

/// Steps that become one: maps of one shape and phase, each after those whose results it reads. A
/// step that is not joined is alone in its group.
using Group = std::vector<Step>;

/// The steps of a schedule in groups, in an order in which every group reads what was made before.
std::vector<Group> group_maps(const Schedule& schedule);

/// Whether two results have the same true extents on every device and in every micro-batch.
bool same_extents(const ShardedValue& a, const ShardedValue& b);

}  // namespace penstock::compiler
