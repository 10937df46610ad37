#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Mean of each window; padding counts as zeros (torch's count_include_pad).
/// Shapes: x [n,h,w,c] -> [n,oh,ow,c]
struct AvgPool2d {
  static constexpr std::string_view name = "avg_pool2d";
  static constexpr std::string_view summary =
      "mean of each window, padding counted: [n,h,w,c] -> [n,oh,ow,c]";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::window_average;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
