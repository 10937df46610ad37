#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"
#include "schema/program/ops/softplus.h"

namespace penstock::program {

/// Source: arXiv:1908.08681
struct Mish : MapOp<Mish, 1> {
  static constexpr std::string_view name = "mish";
  static constexpr std::string_view summary = "x * tanh(softplus(x))";
  static constexpr double flop = 44;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x * stable_softplus(x).apply("tanh")};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    const Expr t = stable_softplus(x).apply("tanh");
    return {dy * (t + x * x.apply("sigmoid") * (1 - square(t)))};
  }
};

}  // namespace penstock::program
