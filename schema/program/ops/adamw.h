#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// One step of AdamW.
/// Shapes: param p, grad p, m p, v p, step i64 [] (1 at the first step), learning_rate f64 []
///         -> param p, m p, v p
/// Source: Loshchilov and Hutter, arXiv:1711.05101, as in torch.optim.AdamW
struct Adamw {
  static constexpr std::string_view name = "adamw";
  static constexpr std::string_view summary =
      "(param, grad, m, v, step, learning rate) -> param, m, v";
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
