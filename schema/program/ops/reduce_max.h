#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Maximum over the dimensions `dims` (increasing), which disappear. Over nothing: -inf, or the
/// least integer. Equal maxima share the gradient, as in torch.amax.
struct ReduceMax {
  static constexpr std::string_view name = "reduce_max";
  static constexpr std::string_view summary = "maximum over dims, which disappear";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::reduce_max;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
