#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// The greater of two tensors of one type; NaN if either is. At a tie each side gets half of the
/// gradient, as in torch.
struct Maximum {
  static constexpr std::string_view name = "maximum";
  static constexpr std::string_view summary = "the greater of lhs and rhs, element by element";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::map_maximum;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
