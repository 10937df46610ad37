#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Dimension `dim` with `low` elements before, `high` behind and `interior` between its own, all
/// `value`.
struct Pad {
  static constexpr std::string_view name = "pad";
  static constexpr std::string_view summary = "one dimension made longer by a value";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::copy_pad;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
