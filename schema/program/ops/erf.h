#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
struct Erf : MapOp<Erf> {
  static constexpr std::string_view name = "erf";
  static constexpr std::string_view summary =
      "error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x";
  static constexpr Kernel kernel = Kernel::map_erf;
  static constexpr double flop = 20;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    constexpr double kTwoOverRootPi = 1.1283791670955126;
    return {dy * (-square(x)).apply("exp") * kTwoOverRootPi};
  }
};

}  // namespace penstock::program
