#pragma once

#include <limits>
#include <vector>

#include "penstock/program.h"

namespace penstock {

// Functions of each element; see penstock/ops.h for types, shapes and errors. Angles are in
// radians.

Value abs(const Value& x);   // |x|
Value sign(const Value& x);  // -1, 0 or 1
Value floor(const Value& x);
Value ceil(const Value& x);
Value round(const Value& x);       // the even one of two nearest
Value trunc(const Value& x);       // towards zero
Value reciprocal(const Value& x);  // 1 / x
Value rsqrt(const Value& x);       // 1 / sqrt(x)
Value square(const Value& x);      // x * x
Value expm1(const Value& x);       // e^x - 1
Value log1p(const Value& x);       // log(1 + x)
Value sin(const Value& x);         // radians
Value cos(const Value& x);
Value tan(const Value& x);
Value asin(const Value& x);
Value acos(const Value& x);
Value atan(const Value& x);
Value sinh(const Value& x);
Value cosh(const Value& x);
Value asinh(const Value& x);
Value acosh(const Value& x);
Value atanh(const Value& x);
Value erf(const Value& x);  // error function

/// a to the power b.
Value pow(const Value& a, const Value& b);
Value pow(const Value& a, double b);
/// The angle of the point (x, y).
Value atan2(const Value& y, const Value& x);
/// It has the sign of b, as in Python.
Value remainder(const Value& a, const Value& b);
Value remainder(const Value& a, double b);
Value minimum(const Value& a, const Value& b);
Value minimum(const Value& a, double b);
/// Between the bounds; the gradient passes there alone.
Value clamp(const Value& x, double low, double high = std::numeric_limits<double>::infinity());

// Comparisons and logic: results are bool.

Value not_equal(const Value& a, const Value& b);
Value less(const Value& a, const Value& b);
Value less_equal(const Value& a, const Value& b);
Value greater_equal(const Value& a, const Value& b);
Value logical_and(const Value& a, const Value& b);
Value logical_or(const Value& a, const Value& b);
Value logical_xor(const Value& a, const Value& b);
Value logical_not(const Value& x);
Value is_nan(const Value& x);
Value is_finite(const Value& x);

// Activations -------------------------------------------------------------------------------------

Value silu(const Value& x);  // x sigmoid(x), also called swish
/// x times the normal distribution function of x.
/// Source: arXiv:1606.08415
Value gelu(const Value& x);
/// By tanh, as GPT-2 has it.
Value gelu_tanh(const Value& x);
Value selu(const Value& x);
Value relu6(const Value& x);
Value hardtanh(const Value& x);
Value hard_sigmoid(const Value& x);
Value hard_swish(const Value& x);
Value softsign(const Value& x);
Value mish(const Value& x);
Value leaky_relu(const Value& x, double slope = 0.01);
Value elu(const Value& x, double alpha = 1);
Value celu(const Value& x, double alpha = 1);
Value softplus(const Value& x, double beta = 1);
/// silu(x) * gate. Source: arXiv:2002.05202
Value swiglu(const Value& x, const Value& gate);
/// x where it is positive, else slope * x; the slope may be a value per channel.
Value prelu(const Value& x, const Value& slope);

// Reductions --------------------------------------------------------------------------------------
// Over all dimensions where none are given.

using Dims = std::vector<int>;  // from 0; -1 is the last

Value min(const Value& x, Dims dims = {});
Value prod(const Value& x, Dims dims = {});
/// Of bool.
Value any(const Value& x, Dims dims = {});
Value all(const Value& x, Dims dims = {});
Value log_sum_exp(const Value& x, Dims dims = {});
/// Mean squared distance from the mean, times n / (n - correction). Over the batch too, where it is
/// that of all devices' rows; then the correction must be 0.
Value variance(const Value& x, Dims dims = {}, int correction = 1);
/// Index of the first minimum; i64.
Value argmin(const Value& x, int dim = -1);

// Losses of each element; take their mean
// ----------------------------------------------------------

Value mse(const Value& x, const Value& target);
/// Half the squared error up to `delta`, a line beyond.
Value huber(const Value& x, const Value& target, double delta = 1);
/// Of probabilities; of logits, which is exact also where those are 0 or 1.
Value bce(const Value& probability, const Value& target);
Value bce_with_logits(const Value& logits, const Value& target);
/// target * (log(target) - log_probability); its sum over classes is the divergence.
Value kl_divergence(const Value& log_probability, const Value& target);

}  // namespace penstock
