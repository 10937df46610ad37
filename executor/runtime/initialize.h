#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::runtime {

/// FNV-1a 64 of the variable's name: the stream of its random draws.
std::uint64_t draw_stream(std::string_view variable);

/// Writes the first value of this device's part of a variable. Draws are keyed by seed, name and
/// *global* element index, so that a variable starts alike under every plan.
/// `part` has one range per dimension of the variable.
/// Errors: unimplemented for an element type without kernels (constant 0 works for all).
Status initialize(const program::Variable& variable, std::uint64_t seed,
                  const std::vector<program::Range>& part, std::span<std::byte> bytes);

}  // namespace penstock::runtime
