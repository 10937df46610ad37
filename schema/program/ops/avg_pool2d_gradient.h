#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Gradient of avg_pool2d. Shapes: g [n,oh,ow,c] -> [n,h,w,c]; attribute `input` = [h,w].
struct AvgPool2dGradient {
  static constexpr std::string_view name = "avg_pool2d_gradient";
  static constexpr std::string_view summary = "gradient of avg_pool2d; attribute input = h w";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::window_average_gradient;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
