#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Rows of a table by their numbers. A number out of range gives NaN.
struct Embedding {
  static constexpr std::string_view name = "embedding";
  static constexpr std::string_view summary = "rows of a table [v,d] by indices [..] -> [..,d]";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::gather_rows;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
