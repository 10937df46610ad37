#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// not x; bool.
struct LogicalNot : PredicateOp<LogicalNot, 1> {
  static constexpr std::string_view name = "logical_not";
  static constexpr std::string_view summary = "not x; bool";
  static constexpr Kernel kernel = Kernel::map_logical_not;
  static constexpr Elements elements = Elements::booleans;
};

}  // namespace penstock::program
