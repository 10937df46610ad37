#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Product of two tensors of one type. Integers wrap.
struct Multiply {
  static constexpr std::string_view name = "multiply";
  static constexpr std::string_view summary = "lhs * rhs, element by element";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::map_multiply;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
