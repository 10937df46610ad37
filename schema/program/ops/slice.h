#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// `size` elements of dimension `dim`, from `start` by `step`, which may be negative.
struct Slice {
  static constexpr std::string_view name = "slice";
  static constexpr std::string_view summary =
      "part of one dimension: size elements from start by step";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::copy_slice;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
