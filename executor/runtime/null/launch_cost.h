#pragma once

#include "executor/runtime/backend.h"

namespace penstock::runtime {

/// What one launch costs in the model: arithmetic, and bytes read plus written. A broadcast operand
/// counts its own elements once.
struct LaunchCost {
  double flop = 0;
  double bytes = 0;
};
LaunchCost cost_of(const Launch& launch);

}  // namespace penstock::runtime
