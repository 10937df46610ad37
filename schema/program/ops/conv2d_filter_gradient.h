#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Gradient of conv2d in its filter. Shapes: x [n,h,w,c], g [n,oh,ow,o] -> [kh,kw,c,o]; attribute
/// `filter` = [kh,kw].
struct Conv2dFilterGradient {
  static constexpr std::string_view name = "conv2d_filter_gradient";
  static constexpr std::string_view summary =
      "gradient of conv2d in the filter; attribute filter = kh kw";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::convolve_filter_gradient;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
