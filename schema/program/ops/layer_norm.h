#pragma once

#include "schema/program/ops/norm_op.h"

namespace penstock::program {

/// (x - mean) / sqrt(variance + epsilon) * scale + bias along the last dimension.
/// Source: Ba, Kiros and Hinton, arXiv:1607.06450
struct LayerNorm : NormOp<LayerNorm, 2> {
  static constexpr std::string_view name = "layer_norm";
  static constexpr std::string_view summary =
      "x [..,d], scale, bias [d]: normalised along the last";

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]), scale(b, node.inputs[1]), bias(b, node.inputs[2]);
    const Normal normal(x, node.attributes.real("epsilon"));
    return {normal.x * over_rows(scale, x) + over_rows(bias, x)};
  }

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), scale(b, node.inputs[1]), dy(b, g[0]);
    const Normal normal(x, node.attributes.real("epsilon"));
    const Expr scaled = dy * over_rows(scale, x);
    const Expr dx =
        normal.factor * (scaled - row_mean(scaled) - normal.x * row_mean(scaled * normal.x));
    return {dx, over_all_rows(dy * normal.x), over_all_rows(dy)};
  }

 private:
  struct Normal {
    Expr factor, x;
    Normal(Expr from, double epsilon) : factor(from), x(from) {
      const Expr centred = from - row_mean(from);
      factor = (row_mean(square(centred)) + epsilon).apply("rsqrt");
      x = centred * factor;
    }
  };
};

}  // namespace penstock::program
