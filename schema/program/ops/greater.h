#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Whether lhs > rhs, element by element. Result: bool
struct Greater {
  static constexpr std::string_view name = "greater";
  static constexpr std::string_view summary = "lhs > rhs, element by element; bool";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::map_greater;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
