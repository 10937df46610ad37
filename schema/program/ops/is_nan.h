#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// whether x is not a number; bool.
struct IsNan : PredicateOp<IsNan, 1> {
  static constexpr std::string_view name = "is_nan";
  static constexpr std::string_view summary = "whether x is not a number; bool";
  static constexpr Kernel kernel = Kernel::map_is_nan;
  static constexpr Elements elements = Elements::floats;
};

}  // namespace penstock::program
