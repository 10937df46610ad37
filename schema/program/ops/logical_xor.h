#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// either lhs or rhs; bool.
struct LogicalXor : PredicateOp<LogicalXor, 2> {
  static constexpr std::string_view name = "logical_xor";
  static constexpr std::string_view summary = "either lhs or rhs; bool";
  static constexpr Kernel kernel = Kernel::map_logical_xor;
  static constexpr Elements elements = Elements::booleans;
};

}  // namespace penstock::program
