#pragma once

#include <cstddef>
#include <cstdint>

#include "schema/program/program.h"

namespace penstock::compiler {

/// An id, an axis or a dimension as the index of a vector.
inline std::size_t at(program::ValueId id) {
  return static_cast<std::size_t>(id.index);
}
inline std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace penstock::compiler
