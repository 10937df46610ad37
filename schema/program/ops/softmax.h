#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Softmax over the last dimension.
struct Softmax {
  static constexpr std::string_view name = "softmax";
  static constexpr std::string_view summary = "softmax over the last dimension";
  static constexpr int arity = 1;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> expand(Builder& b, const OpNode& node);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
