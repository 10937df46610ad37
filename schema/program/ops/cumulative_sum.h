#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Sums of all elements up to each along `dim`: without itself if exclusive, from the end if
/// reverse.
struct CumulativeSum {
  static constexpr std::string_view name = "cumulative_sum";
  static constexpr std::string_view summary = "running sum along dim";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::scan_sum;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
