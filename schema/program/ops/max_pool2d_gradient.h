#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// (x, g) -> dx. Each g goes to the first maximum of its window, row by row.
/// Shapes: x [n,h,w,c], g [n,oh,ow,c] -> [n,h,w,c]
struct MaxPool2dGradient {
  static constexpr std::string_view name = "max_pool2d_gradient";
  static constexpr std::string_view summary =
      "gradient of max_pool2d: to the first maximum of each window";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::window_max_gradient;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
