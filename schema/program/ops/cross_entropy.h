#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Negative log-likelihood of each row's label under the softmax of its logits.
/// Shapes: logits [..,k], labels [..] -> [..]. NaN where the label is out of range.
struct CrossEntropy {
  static constexpr std::string_view name = "cross_entropy";
  static constexpr std::string_view summary =
      "loss of each row: logits [..,k], labels [..] -> [..]";
  static constexpr int arity = 2;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> expand(Builder& b, const OpNode& node);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
