#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Result dimension i is operand dimension permutation[i].
struct Transpose {
  static constexpr std::string_view name = "transpose";
  static constexpr std::string_view summary = "dimensions in another order";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::copy_transpose;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
