#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// 0, 1, 2, .. size - 1
struct Iota {
  static constexpr std::string_view name = "iota";
  static constexpr std::string_view summary = "0, 1, 2, .. size - 1";
  static constexpr int arity = 0;
  static constexpr Kernel kernel = Kernel::fill_iota;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
