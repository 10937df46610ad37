#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// One element per row. Shapes: x [..,k], labels [..] -> [..]. NaN where the label is out of range.
struct Pick {
  static constexpr std::string_view name = "pick";
  static constexpr std::string_view summary =
      "x [..,k], labels [..] -> [..]: the element at each label";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::gather_picked;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
