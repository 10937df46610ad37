#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Adam with weight decay added to the gradient, as torch.optim.Adam. See adamw for the other.
/// Source: Kingma and Ba, arXiv:1412.6980
struct Adam {
  static constexpr std::string_view name = "adam";
  static constexpr std::string_view summary =
      "(param, grad, m, v, step, learning rate) -> param, m, v; decay in the gradient";
  static constexpr int arity = 6;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> expand(Builder& b, const OpNode& node);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
