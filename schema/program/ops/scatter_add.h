#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// x with updates added at their indices along `dim`, in their order. A number out of range adds
/// nothing.
struct ScatterAdd {
  static constexpr std::string_view name = "scatter_add";
  static constexpr std::string_view summary = "x with updates added at their indices along dim";
  static constexpr int arity = 3;
  static constexpr Kernel kernel = Kernel::scatter_add;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
