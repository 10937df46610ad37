#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Convolution (cross-correlation, as in torch), channels last.
/// Shapes: x [n,h,w,c], filter [kh,kw,c,o] -> [n,oh,ow,o], oh = (h + top + bottom - kh) / stride +
/// 1
struct Conv2d {
  static constexpr std::string_view name = "conv2d";
  static constexpr std::string_view summary =
      "convolution, channels last: [n,h,w,c] x [kh,kw,c,o] -> [n,oh,ow,o]";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::convolve_forward;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
