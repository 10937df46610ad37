#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// One step of stochastic gradient descent.
/// Shapes: param p, grad p, momentum buffer p, learning_rate f64 [] -> param p, momentum buffer p
/// Source: torch.optim.SGD (dampening 0, no Nesterov); the buffer starts at zero
struct Sgd {
  static constexpr std::string_view name = "sgd";
  static constexpr std::string_view summary =
      "(param, grad, momentum, learning rate) -> param, momentum";
  static constexpr int arity = 4;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> expand(Builder& b, const OpNode& node);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
