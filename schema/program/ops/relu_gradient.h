#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// (x, g) -> g where x > 0, else 0.
struct ReluGradient {
  static constexpr std::string_view name = "relu_gradient";
  static constexpr std::string_view summary = "g where x > 0, else 0";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::map_relu_gradient;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
