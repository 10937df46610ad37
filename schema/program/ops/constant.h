#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// A scalar. Shape: -> []. `value` must be representable in an integer `dtype`.
struct Constant {
  static constexpr std::string_view name = "constant";
  static constexpr std::string_view summary = "a scalar: attributes value, dtype";
  static constexpr int arity = 0;
  static constexpr Kernel kernel = Kernel::fill_constant;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
