#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// the greatest integer not above x.
struct Floor : MapOp<Floor> {
  static constexpr std::string_view name = "floor";
  static constexpr std::string_view summary = "the greatest integer not above x";
  static constexpr Kernel kernel = Kernel::map_floor;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    static_cast<void>(b), static_cast<void>(node), static_cast<void>(g);
    return {ValueId()};  // flat wherever it has a slope
  }
};

}  // namespace penstock::program
