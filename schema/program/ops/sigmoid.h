#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// 1 / (1 + e^-x)
struct Sigmoid {
  static constexpr std::string_view name = "sigmoid";
  static constexpr std::string_view summary = "1 / (1 + e^-x), element by element";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::map_sigmoid;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
