#pragma once

#include "schema/program/ops/expression.h"
#include "schema/program/ops/map_op.h"

namespace penstock::program {

/// 1.0507 times elu with alpha = 1.6733. Source: arXiv:1706.02515
struct Selu : MapOp<Selu, 1> {
  static constexpr std::string_view name = "selu";
  static constexpr std::string_view summary = "self-normalising elu";
  static constexpr double flop = 14;

  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {where(x > 0, x, x.apply("expm1") * kAlpha) * kScale};
  }

  static constexpr double kAlpha = 1.6732632423543772848170429916717;
  static constexpr double kScale = 1.0507009873554804934193349852946;

  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    return {where(x > 0, dy, dy * x.apply("exp") * kAlpha) * kScale};
  }
};

}  // namespace penstock::program
