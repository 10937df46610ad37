#pragma once

#include "schema/program/op.h"

namespace penstock::program {

/// Repeats a tensor along new dimensions. Operand dimension i becomes dimension dims[i]
/// (increasing) of `shape`. `dynamic_dim` is the dynamic dimension of the result, or -1 to take the
/// operand's.
struct Broadcast {
  static constexpr std::string_view name = "broadcast";
  static constexpr std::string_view summary =
      "operand dimension i becomes dimension dims[i] of shape";
  static constexpr int arity = 1;
  static constexpr Kernel kernel = Kernel::copy_broadcast;

  /// The attributes that broadcast to `shape`.
  static Attributes to(const Shape& shape, std::vector<std::int64_t> dims);

  static std::vector<AttributeSpec> attributes();
  static Result<Types> infer(OpInputs in);
  static ShardingRule sharding(OpInputs in);
  static Cost cost(OpInputs in);
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g);
  static Attributes resize(OpInputs whole, std::span<const TensorType> operands,
                           std::span<const TensorType> results);
  static std::vector<Example> examples();
};

}  // namespace penstock::program
