#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Operands one behind the other along `dim`.
struct Concat {
  static constexpr std::string_view name = "concat";
  static constexpr std::string_view summary = "operands one behind the other along dim";
  static constexpr int arity = kVariadic;
  static constexpr Kernel kernel = Kernel::copy_concat;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
