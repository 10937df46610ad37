#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// silu(lhs) * rhs. Source: arXiv:2002.05202
struct Swiglu : MapOp<Swiglu, 2> {
  static constexpr std::string_view name = "swiglu";
  static constexpr std::string_view summary = "silu(lhs) * rhs: a gated linear unit";
  static constexpr double flop = 16;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {x * x.apply("sigmoid") * Expr(b, node.inputs[1])};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), gate(b, node.inputs[1]), dy(b, g[0]);
    const Expr s = x.apply("sigmoid");
    return {dy * gate * (s * (1 + x * (1 - s))), dy * (x * s)};
  }
};

}  // namespace penstock::program
