#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// the least integer not below x.
struct Ceil : MapOp<Ceil> {
  static constexpr std::string_view name = "ceil";
  static constexpr std::string_view summary = "the least integer not below x";
  static constexpr Kernel kernel = Kernel::map_ceil;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    static_cast<void>(b), static_cast<void>(node), static_cast<void>(g);
    return {ValueId()};  // flat wherever it has a slope
  }
};

}  // namespace penstock::program
