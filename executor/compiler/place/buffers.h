#pragma once

#include <cstdint>
#include <vector>

#include "executor/compiler/place/placed_program.h"

namespace penstock::compiler {

/// Gives each buffer an offset of at least `start`, the largest buffers first, each at the lowest
/// place that is free while it lives. Returns the end of the highest.
std::int64_t pack(std::vector<Buffer>& buffers, std::int64_t start);

}  // namespace penstock::compiler
