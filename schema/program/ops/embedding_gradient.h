#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Gradients [..,d] added to the rows that their indices [..] name, in their order. A number out of
/// range adds nothing.
struct EmbeddingGradient {
  static constexpr std::string_view name = "embedding_gradient";
  static constexpr std::string_view summary = "sums of gradients [..,d] by their rows -> [rows,d]";
  static constexpr int arity = 2;
  static constexpr Kernel kernel = Kernel::scatter_rows;

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
