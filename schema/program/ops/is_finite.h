#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// whether x is neither infinite nor NaN; bool.
struct IsFinite : PredicateOp<IsFinite, 1> {
  static constexpr std::string_view name = "is_finite";
  static constexpr std::string_view summary = "whether x is neither infinite nor NaN; bool";
  static constexpr Kernel kernel = Kernel::map_is_finite;
  static constexpr Elements elements = Elements::floats;
};

}  // namespace penstock::program
