#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// lhs and rhs; bool.
struct LogicalAnd : PredicateOp<LogicalAnd, 2> {
  static constexpr std::string_view name = "logical_and";
  static constexpr std::string_view summary = "lhs and rhs; bool";
  static constexpr Kernel kernel = Kernel::map_logical_and;
  static constexpr Elements elements = Elements::booleans;
};

}  // namespace penstock::program
