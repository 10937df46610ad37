#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// max(x, 0); NaN stays NaN. The gradient at 0 is 0, as in torch.
struct Relu {
  static constexpr std::string_view name = "relu";
  static constexpr std::string_view summary = "max(x, 0), element by element";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::map_relu;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
