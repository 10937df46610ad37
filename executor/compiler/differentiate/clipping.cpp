#include "executor/compiler/differentiate/clipping.h"

#include "schema/program/ops/axes.h"
#include "schema/program/ops/expression.h"
#include "schema/program/ops/optimizer.h"

namespace penstock::compiler {
namespace {

using program::DType;
using program::Expr;
using program::ValueId;

/// torch's: so that gradients of nothing are not divided by it.
constexpr double kLeastNorm = 1e-6;

/// The sum of squares of a gradient, in f64.
Expr squares(program::Builder& b, ValueId gradient) {
  const Expr g(b, gradient);
  const std::size_t rank = g.type().shape.size();
  const Expr square = program::square(g);
  const Expr sum =
      rank == 0 ? square : square.apply("reduce_sum", {{"dims", program::all_dims(rank)}});
  return g.type().dtype == DType::f64 ? sum : sum.cast(DType::f64);
}

}  // namespace

Result<Gradients> clip(program::Builder& builder, const program::Training& training,
                       Gradients gradients) {
  const program::Attributes& clipping = training.clipping;
  if (clipping.has("clip_value")) {
    const double bound = clipping.real("clip_value");
    for (auto& [variable, gradient] : gradients)
      gradient = builder.apply("clamp", {gradient}, {{"low", -bound}, {"high", bound}});
  }
  if (!clipping.has("clip_norm") || gradients.empty()) return gradients;
  std::optional<Expr> total;
  for (const auto& [variable, gradient] : gradients) {
    const Expr own = squares(builder, gradient);
    total = total ? *total + own : own;
  }
  const Expr norm = total->apply("sqrt");
  const Expr factor = norm.like(clipping.real("clip_norm")) / (norm + kLeastNorm);
  const Expr at_most_one = factor.apply("minimum", norm.like(1));
  for (auto& [variable, gradient] : gradients)
    gradient = program::scaled(builder, gradient, ValueId(at_most_one));
  PENSTOCK_TRY(builder.try_output("gradient_norm", norm));
  return gradients;
}

}  // namespace penstock::compiler
