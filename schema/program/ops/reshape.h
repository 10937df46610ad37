#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Same elements in the same order. A dynamic dimension must be first and stay as it is.
struct Reshape {
  static constexpr std::string_view name = "reshape";
  static constexpr std::string_view summary = "same elements in the same order, another shape";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::copy_plain;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static Attributes resize(OpInputs whole, std::span<const TensorType> operands,
                           std::span<const TensorType> results);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
