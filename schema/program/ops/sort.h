#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Elements along `dim` in order, equal ones as they were, NaN last, and where each came from
/// (i64).
struct Sort {
  static constexpr std::string_view name = "sort";
  static constexpr std::string_view summary = "elements along dim in order, and their indices";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::sort_along;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
