#pragma once

#include "schema/program/ops/norm_op.h"

namespace penstock::program {

/// x / sqrt(mean of x^2 + epsilon) * scale along the last dimension.
/// Source: Zhang and Sennrich, arXiv:1910.07467
struct RmsNorm : NormOp<RmsNorm, 1> {
  static constexpr std::string_view name = "rms_norm";
  static constexpr std::string_view summary = "x [..,d], scale [d]: x over its root mean square";

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]), scale(b, node.inputs[1]);
    return {x * factor(x, node.attributes) * over_rows(scale, x)};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), scale(b, node.inputs[1]), dy(b, g[0]);
    const Expr r = factor(x, node.attributes);
    const Expr scaled = dy * over_rows(scale, x);
    return {r * (scaled - x * square(r) * row_mean(scaled * x)), over_all_rows(dy * x * r)};
  }

 private:
  static Expr factor(Expr x, const Attributes& attributes) {
    return (row_mean(square(x)) + attributes.real("epsilon")).apply("rsqrt");
  }
};

}  // namespace penstock::program
