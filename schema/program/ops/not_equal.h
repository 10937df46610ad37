#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// lhs != rhs, element by element; bool.
struct NotEqual : PredicateOp<NotEqual, 2> {
  static constexpr std::string_view name = "not_equal";
  static constexpr std::string_view summary = "lhs != rhs, element by element; bool";
  static constexpr Kernel kernel = Kernel::map_not_equal;
  static constexpr Elements elements = Elements::numbers;
};

}  // namespace penstock::program
