#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Maximum of each window; padding never wins. Shapes: x [n,h,w,c] -> [n,oh,ow,c]
struct MaxPool2d {
  static constexpr std::string_view name = "max_pool2d";
  static constexpr std::string_view summary = "maximum of each window: [n,h,w,c] -> [n,oh,ow,c]";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::window_max;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
