#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// What matmul's gradient adds up for a matrix that all rows share: x [.., k], g [.., n] -> [k, n],
/// summed over the leading dimensions.
struct MatmulWeightGradient {
  static constexpr std::string_view name = "matmul_weight_gradient";
  static constexpr std::string_view summary =
      "x^T g over all leading dimensions: [..,k], [..,n] -> [k,n]";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::contract_rows;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
