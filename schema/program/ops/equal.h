#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Whether two tensors of one type agree, element by element. Result: bool
struct Equal {
  static constexpr std::string_view name = "equal";
  static constexpr std::string_view summary = "lhs == rhs, element by element; bool";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::map_equal;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
