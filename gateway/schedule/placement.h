#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "gateway/lease/pool.h"

namespace penstock::gateway {

/// Chooses free devices for `terms`, or says that there are too few. On one executor where one has
/// enough (the one with the fewest to spare), else on as few executors as possible; within an
/// executor the smallest devices that do. Ranks of one executor are contiguous.
/// Threads: pure
std::optional<std::vector<DeviceId>> place(const Pool& pool, const LeaseTerms& terms);

}  // namespace penstock::gateway
