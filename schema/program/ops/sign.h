#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// -1, 0 or 1, as x is.
struct Sign : MapOp<Sign> {
  static constexpr std::string_view name = "sign";
  static constexpr std::string_view summary = "-1, 0 or 1, as x is";
  static constexpr Kernel kernel = Kernel::map_sign;
  static constexpr Elements elements = Elements::signed_numbers;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    static_cast<void>(b), static_cast<void>(node), static_cast<void>(g);
    return {ValueId()};  // flat wherever it has a slope
  }
};

}  // namespace penstock::program
