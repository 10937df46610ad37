#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// lhs or rhs; bool.
struct LogicalOr : PredicateOp<LogicalOr, 2> {
  static constexpr std::string_view name = "logical_or";
  static constexpr std::string_view summary = "lhs or rhs; bool";
  static constexpr Kernel kernel = Kernel::map_logical_or;
  static constexpr Elements elements = Elements::booleans;
};

}  // namespace penstock::program
