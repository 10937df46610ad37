#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Index of the first maximum along `dim`, which disappears. Result: i64
struct Argmax {
  static constexpr std::string_view name = "argmax";
  static constexpr std::string_view summary = "index of the first maximum along dim; i64";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::reduce_argmax;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
