#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// To element type `dtype`. Floats to integers truncate toward zero and saturate, NaN becomes 0;
/// to bool: whether x != 0; between integers the low bits are kept.
struct Cast {
  static constexpr std::string_view name = "cast";
  static constexpr std::string_view summary = "to another element type";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::map_cast;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
