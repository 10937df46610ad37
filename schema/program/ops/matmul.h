#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Matrix products.
///   lhs [.., m, k], rhs [.., k, n] -> [.., m, n]: one for each of the leading dimensions, which
///   are
///     equal; a transposed operand is given as [.., k, m] or [.., n, k]
///   lhs [.., m, k], rhs [k, n] -> [.., m, n]: one for all leading dimensions together
struct Matmul {
  static constexpr std::string_view name = "matmul";
  static constexpr std::string_view summary =
      "matrix products: [..,m,k] x [..,k,n] or [k,n] -> [..,m,n]";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::contract_matmul;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
