#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// labels [..] -> [.., depth]: 1 at the label, else 0; all 0 where the label is out of range.
struct OneHot {
  static constexpr std::string_view name = "one_hot";
  static constexpr std::string_view summary = "labels [..] -> [.., depth]: 1 at the label, else 0";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::gather_one_hot;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
