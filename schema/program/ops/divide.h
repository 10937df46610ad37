#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Quotient of two floating-point tensors of one type.
struct Divide {
  static constexpr std::string_view name = "divide";
  static constexpr std::string_view summary = "lhs / rhs, element by element; floating point";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::map_divide;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
