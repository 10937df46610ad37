#include "penstock/maths.h"

#include "penstock/ops.h"
#include "sdk/src/apply.h"

namespace penstock {

using detail::aligned;
using detail::reduce;
using detail::unary;

Value abs(const Value& x) {
  return unary("abs", x);
}
Value sign(const Value& x) {
  return unary("sign", x);
}
Value floor(const Value& x) {
  return unary("floor", x);
}
Value ceil(const Value& x) {
  return unary("ceil", x);
}
Value round(const Value& x) {
  return unary("round", x);
}
Value trunc(const Value& x) {
  return unary("trunc", x);
}
Value reciprocal(const Value& x) {
  return unary("reciprocal", x);
}
Value rsqrt(const Value& x) {
  return unary("rsqrt", x);
}
Value square(const Value& x) {
  return x * x;
}
Value expm1(const Value& x) {
  return unary("expm1", x);
}
Value log1p(const Value& x) {
  return unary("log1p", x);
}
Value sin(const Value& x) {
  return unary("sin", x);
}
Value cos(const Value& x) {
  return unary("cos", x);
}
Value tan(const Value& x) {
  return unary("tan", x);
}
Value asin(const Value& x) {
  return unary("asin", x);
}
Value acos(const Value& x) {
  return unary("acos", x);
}
Value atan(const Value& x) {
  return unary("atan", x);
}
Value sinh(const Value& x) {
  return unary("sinh", x);
}
Value cosh(const Value& x) {
  return unary("cosh", x);
}
Value asinh(const Value& x) {
  return unary("asinh", x);
}
Value acosh(const Value& x) {
  return unary("acosh", x);
}
Value atanh(const Value& x) {
  return unary("atanh", x);
}
Value erf(const Value& x) {
  return unary("erf", x);
}

Value pow(const Value& a, const Value& b) {
  return aligned("pow", a, b);
}
Value pow(const Value& a, double b) {
  return pow(a, scalar_like(a, b));
}
Value remainder(const Value& a, const Value& b) {
  return aligned("remainder", a, b);
}
Value remainder(const Value& a, double b) {
  return remainder(a, scalar_like(a, b));
}
Value minimum(const Value& a, const Value& b) {
  return aligned("minimum", a, b);
}
Value minimum(const Value& a, double b) {
  return minimum(a, scalar_like(a, b));
}
Value atan2(const Value& y, const Value& x) {
  return aligned("atan2", y, x);
}
Value clamp(const Value& x, double low, double high) {
  return unary("clamp", x, {{"low", low}, {"high", high}});
}
Value not_equal(const Value& a, const Value& b) {
  return aligned("not_equal", a, b);
}
Value less(const Value& a, const Value& b) {
  return aligned("less", a, b);
}
Value less_equal(const Value& a, const Value& b) {
  return aligned("less_equal", a, b);
}
Value greater_equal(const Value& a, const Value& b) {
  return aligned("greater_equal", a, b);
}
Value logical_and(const Value& a, const Value& b) {
  return aligned("logical_and", a, b);
}
Value logical_or(const Value& a, const Value& b) {
  return aligned("logical_or", a, b);
}
Value logical_xor(const Value& a, const Value& b) {
  return aligned("logical_xor", a, b);
}
Value logical_not(const Value& x) {
  return unary("logical_not", x);
}
Value is_nan(const Value& x) {
  return unary("is_nan", x);
}
Value is_finite(const Value& x) {
  return unary("is_finite", x);
}

Value silu(const Value& x) {
  return unary("silu", x);
}
Value gelu(const Value& x) {
  return unary("gelu", x, {{"tanh", false}});
}
Value gelu_tanh(const Value& x) {
  return unary("gelu", x, {{"tanh", true}});
}
Value selu(const Value& x) {
  return unary("selu", x);
}
Value relu6(const Value& x) {
  return unary("relu6", x);
}
Value hardtanh(const Value& x) {
  return unary("hardtanh", x);
}
Value hard_sigmoid(const Value& x) {
  return unary("hard_sigmoid", x);
}
Value hard_swish(const Value& x) {
  return unary("hard_swish", x);
}
Value softsign(const Value& x) {
  return unary("softsign", x);
}
Value mish(const Value& x) {
  return unary("mish", x);
}
Value leaky_relu(const Value& x, double slope) {
  return unary("leaky_relu", x, {{"slope", slope}});
}
Value elu(const Value& x, double alpha) {
  return unary("elu", x, {{"alpha", alpha}});
}
Value celu(const Value& x, double alpha) {
  return unary("celu", x, {{"alpha", alpha}});
}
Value softplus(const Value& x, double beta) {
  return unary("softplus", x, {{"beta", beta}});
}
Value swiglu(const Value& x, const Value& gate) {
  return aligned("swiglu", x, gate);
}
Value prelu(const Value& x, const Value& slope) {
  return aligned("prelu", x, slope);
}
Value min(const Value& x, Dims dims) {
  return reduce("reduce_min", x, dims);
}
Value prod(const Value& x, Dims dims) {
  return reduce("reduce_prod", x, dims);
}
Value any(const Value& x, Dims dims) {
  return reduce("any", x, dims);
}
Value all(const Value& x, Dims dims) {
  return reduce("all", x, dims);
}
Value log_sum_exp(const Value& x, Dims dims) {
  return reduce("log_sum_exp", x, dims);
}
Value variance(const Value& x, Dims dims, int correction) {
  const detail::Integers which = detail::dims_of("variance", x, dims);
  bool over_batch = false;
  for (const std::int64_t dim : which)
    over_batch = over_batch || x.shape()[static_cast<std::size_t>(dim)].dynamic;
  if (!over_batch || correction != 0)
    return reduce("variance", x, dims, {{"correction", std::int64_t{correction}}});
  Shape kept = x.shape();
  for (const std::int64_t dim : which) kept[static_cast<std::size_t>(dim)] = 1;
  return mean(square(x - reshape(mean(x, dims), kept)), dims);
}
Value argmin(const Value& x, int dim) {
  return unary("argmin", x, {{"dim", detail::dim_of("argmin", x, dim)}});
}
Value mse(const Value& x, const Value& target) {
  return aligned("mse", x, target);
}
Value bce(const Value& probability, const Value& target) {
  return aligned("bce", probability, target);
}
Value bce_with_logits(const Value& logits, const Value& target) {
  return aligned("bce_with_logits", logits, target);
}
Value kl_divergence(const Value& log_probability, const Value& target) {
  return aligned("kl_divergence", log_probability, target);
}
Value huber(const Value& x, const Value& target, double delta) {
  return aligned("huber", x, target, {{"delta", delta}});
}

}  // namespace penstock
