#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Sum over the dimensions `dims` (increasing), which disappear. Shape: [..] -> [.. without dims]
struct ReduceSum {
  static constexpr std::string_view name = "reduce_sum";
  static constexpr std::string_view summary = "sum over dims, which disappear";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::reduce_sum;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
