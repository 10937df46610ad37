#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// x with updates in the places of their indices along `dim`; of equal indices the last counts, and
/// the gradient is that of distinct ones. A number out of range changes nothing.
struct Scatter {
  static constexpr std::string_view name = "scatter";
  static constexpr std::string_view summary =
      "x with updates in the places of their indices along dim";
  static constexpr int arity = 3;
  static constexpr Kernel kernel = Kernel::scatter_set;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
