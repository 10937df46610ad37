#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Natural logarithm; -inf at 0, NaN below.
struct Log {
  static constexpr std::string_view name = "log";
  static constexpr std::string_view summary = "natural logarithm, element by element";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::map_log;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
