#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/conformance/reference.h"

// Element-wise functions by their definitions in the standard library, or in the paper that the op
// names.

namespace penstock::conformance {
namespace {

using Call = const ReferenceCall&;

Reference unary(double (*f)(double)) {
  return [f](Call call) {
    Array out = call.operands[0];
    for (double& value : out.values) value = f(value);
    return std::vector<Array>{out};
  };
}

/// With one real attribute.
Reference unary(const char* attribute, double (*f)(double, double)) {
  return [attribute, f](Call call) {
    Array out = call.operands[0];
    const double parameter = call.attributes.real(attribute);
    for (double& value : out.values) value = f(value, parameter);
    return std::vector<Array>{out};
  };
}

Reference binary(double (*f)(double, double)) {
  return [f](Call call) {
    Array out = call.operands[0];
    for (std::size_t i = 0; i < out.values.size(); ++i)
      out.values[i] = f(call.operands[0].values[i], call.operands[1].values[i]);
    return std::vector<Array>{out};
  };
}

Reference predicate(bool (*f)(double, double)) {
  return [f](Call call) {
    Array out = call.operands[0];
    out.type.dtype = program::DType::boolean;
    const Array& other = call.operands.back();
    for (std::size_t i = 0; i < out.values.size(); ++i)
      out.values[i] = f(call.operands[0].values[i], other.values[i]) ? 1 : 0;
    return std::vector<Array>{out};
  };
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
double softplus(double x, double beta) {
  return std::log(1 + std::exp(beta * x)) / beta;
}
double negative(double x, double alpha) {
  return x > 0 ? x : alpha * (std::exp(x) - 1);
}

std::vector<Array> gelu(Call call) {
  Array out = call.operands[0];
  const bool approximate = call.attributes.boolean("tanh");
  const double pi = std::acos(-1.0);
  for (double& x : out.values)
    x = approximate ? 0.5 * x * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * std::pow(x, 3))))
                    : x * 0.5 * std::erfc(-x / std::sqrt(2.0));
  return {out};
}

std::vector<Array> clamp(Call call) {
  Array out = call.operands[0];
  for (double& x : out.values)
    x = clip(x, call.attributes.real("low"), call.attributes.real("high"));
  return {out};
}

std::vector<Array> huber(Call call) {
  Array out = call.operands[0];
  const double delta = call.attributes.real("delta");
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const double d = std::abs(out.values[i] - call.operands[1].values[i]);
    out.values[i] = d <= delta ? d * d / 2 : delta * (d - delta / 2);
  }
  return {out};
}

std::vector<NamedReference> functions() {
  return {
      {"abs", unary([](double x) { return std::abs(x); })},
      {"sign", unary([](double x) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : 0.0; })},
      {"floor", unary(std::floor)},
      {"ceil", unary(std::ceil)},
      {"round", unary(std::nearbyint)},
      {"trunc", unary(std::trunc)},
      {"reciprocal", unary([](double x) { return 1 / x; })},
      {"rsqrt", unary([](double x) { return 1 / std::sqrt(x); })},
      {"expm1", unary(std::expm1)},
      {"log1p", unary(std::log1p)},
      {"sin", unary(std::sin)},
      {"cos", unary(std::cos)},
      {"tan", unary(std::tan)},
      {"asin", unary(std::asin)},
      {"acos", unary(std::acos)},
      {"atan", unary(std::atan)},
      {"sinh", unary(std::sinh)},
      {"cosh", unary(std::cosh)},
      {"asinh", unary(std::asinh)},
      {"acosh", unary(std::acosh)},
      {"atanh", unary(std::atanh)},
      {"erf", unary(std::erf)},
      {"minimum", binary([](double a, double b) { return a < b ? a : b; })},
      {"pow", binary([](double a, double b) { return std::pow(a, b); })},
      {"atan2", binary([](double a, double b) { return std::atan2(a, b); })},
      {"remainder", binary([](double a, double b) { return a - b * std::floor(a / b); })},
  };
}

std::vector<NamedReference> predicates() {
  return {
      {"not_equal", predicate([](double a, double b) { return a != b; })},
      {"less", predicate([](double a, double b) { return a < b; })},
      {"less_equal", predicate([](double a, double b) { return a <= b; })},
      {"greater_equal", predicate([](double a, double b) { return a >= b; })},
      {"is_nan", predicate([](double a, double) { return std::isnan(a); })},
      {"is_finite", predicate([](double a, double) { return std::isfinite(a); })},
      {"logical_and", predicate([](double a, double b) { return a != 0 && b != 0; })},
      {"logical_or", predicate([](double a, double b) { return a != 0 || b != 0; })},
      {"logical_xor", predicate([](double a, double b) { return (a != 0) != (b != 0); })},
      {"logical_not", predicate([](double a, double) { return a == 0; })},
  };
}

std::vector<NamedReference> activations() {
  return {
      {"gelu", gelu},
      {"clamp", clamp},
      {"silu", unary([](double x) { return x * sigmoid(x); })},
      {"leaky_relu", unary("slope", [](double x, double s) { return x > 0 ? x : s * x; })},
      {"elu", unary("alpha", negative)},
      {"selu",
       unary([](double x) { return 1.0507009873554805 * negative(x, 1.6732632423543772); })},
      {"celu",
       unary("alpha", [](double x, double a) { return x > 0 ? x : a * (std::exp(x / a) - 1); })},
      {"relu6", unary([](double x) { return clip(x, 0, 6); })},
      {"hardtanh", unary([](double x) { return clip(x, -1, 1); })},
      {"hard_sigmoid", unary([](double x) { return clip(x / 6 + 0.5, 0, 1); })},
      {"hard_swish", unary([](double x) { return x * clip(x / 6 + 0.5, 0, 1); })},
      {"softplus", unary("beta", softplus)},
      {"softsign", unary([](double x) { return x / (1 + std::abs(x)); })},
      {"mish", unary([](double x) { return x * std::tanh(softplus(x, 1)); })},
      {"swiglu", binary([](double x, double gate) { return x * sigmoid(x) * gate; })},
      {"prelu", binary([](double x, double slope) { return x > 0 ? x : slope * x; })},
  };
}

std::vector<NamedReference> losses() {
  return {
      {"mse", binary([](double a, double b) { return (a - b) * (a - b); })},
      {"huber", huber},
      {"bce",
       binary([](double p, double t) { return -(t * std::log(p) + (1 - t) * std::log(1 - p)); })},
      {"bce_with_logits", binary([](double x, double t) {
         return -(t * std::log(sigmoid(x)) + (1 - t) * std::log(sigmoid(-x)));
       })},
      {"kl_divergence",
       binary([](double x, double t) { return t > 0 ? t * (std::log(t) - x) : 0.0; })},
  };
}

}  // namespace

std::vector<NamedReference> maths_references() {
  std::vector<NamedReference> out;
  for (const auto& family : {functions(), predicates(), activations(), losses()})
    out.insert(out.end(), family.begin(), family.end());
  return out;
}

}  // namespace penstock::conformance
