#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Mean over the dimensions `dims` (increasing), which disappear. A dynamic dimension counts with
/// the call's true number of rows. `of` is the number of elements along the static dims that the
/// sum is divided by, where the operand is a part of a larger one; 0: its own.
struct Mean {
  static constexpr std::string_view name = "mean";
  static constexpr std::string_view summary =
      "mean over dims, which disappear; exact for a short last batch";
  static constexpr int arity = 1;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> expand(Builder& b, const OpNode& node);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static Attributes resize(OpInputs whole, std::span<const TensorType> operands,
                           std::span<const TensorType> results);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
