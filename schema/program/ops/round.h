#pragma once

#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// the nearest integer, the even one of two.
struct Round : MapOp<Round> {
  static constexpr std::string_view name = "round";
  static constexpr std::string_view summary = "the nearest integer, the even one of two";
  static constexpr Kernel kernel = Kernel::map_round;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    static_cast<void>(b), static_cast<void>(node), static_cast<void>(g);
    return {ValueId()};  // flat wherever it has a slope
  }
};

}  // namespace penstock::program
