#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// the integer part, towards zero.
struct Trunc : MapOp<Trunc> {
  static constexpr std::string_view name = "trunc";
  static constexpr std::string_view summary = "the integer part, towards zero";
  static constexpr Kernel kernel = Kernel::map_trunc;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    static_cast<void>(b), static_cast<void>(node), static_cast<void>(g);
    return {ValueId()};  // flat wherever it has a slope
  }
};

}  // namespace penstock::program
