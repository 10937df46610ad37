#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// (condition bool, a, b) -> a where the condition holds, else b.
struct Select {
  static constexpr std::string_view name = "select";
  static constexpr std::string_view summary =
      "(condition, a, b) -> condition ? a : b, element by element";
  static constexpr int arity = 3;
  static constexpr Kernel kernel = Kernel::map_select;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
