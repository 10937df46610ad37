#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// The call's true number of rows over all devices. Shape: -> []
struct BatchSize {
  static constexpr std::string_view name = "batch_size";
  static constexpr std::string_view summary = "the call's true global number of rows, as a scalar";
  static constexpr int arity = 0;
  static constexpr Kernel kernel = Kernel::fill_batch_size;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
