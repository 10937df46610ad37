#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// (logits [..,k], labels [..], g [..]) -> [..,k]: (softmax(logits) - one_hot(labels)) * g
struct CrossEntropyGradient {
  static constexpr std::string_view name = "cross_entropy_gradient";
  static constexpr std::string_view summary = "gradient of cross_entropy in the logits";
  static constexpr int arity = 3;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> expand(Builder& b, const OpNode& node);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
