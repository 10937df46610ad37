#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Gradient of conv2d in its input. Shapes: g [n,oh,ow,o], filter [kh,kw,c,o] -> [n,h,w,c];
/// attribute `input` = [h,w].
struct Conv2dInputGradient {
  static constexpr std::string_view name = "conv2d_input_gradient";
  static constexpr std::string_view summary = "gradient of conv2d in x; attribute input = h w";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::convolve_input_gradient;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
