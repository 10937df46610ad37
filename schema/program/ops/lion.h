#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// The sign of an average of gradients, with decoupled weight decay.
/// Source: Chen et al., arXiv:2302.06675, algorithm 2
struct Lion {
  static constexpr std::string_view name = "lion";
  static constexpr std::string_view summary = "(param, grad, m, learning rate) -> param, m";
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
