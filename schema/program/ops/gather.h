#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// x[.., indices[..], ..] along `dim`, as torch.gather. A number out of range gives NaN, of
/// integers 0.
struct Gather {
  static constexpr std::string_view name = "gather";
  static constexpr std::string_view summary = "elements by their indices along dim";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::gather_along;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
