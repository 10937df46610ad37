#include <cmath>
#include <limits>

#include "base/check.h"
#include "tests/conformance/reference.h"

namespace penstock::conformance {
namespace {

using program::DType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Range {
  double low, high;
};

Range range_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return {0, 255};
    case DType::i8:
      return {-128, 127};
    case DType::i32:
      return {-2147483648.0, 2147483647.0};
    default:
      break;
  }
  return {-9223372036854775808.0, 9223372036854775807.0};
}

bool is_integer(DType dtype) {
  return !program::is_float(dtype) && dtype != DType::boolean;
}

/// The integer of the type that is equal modulo its range.
double wrapped(DType dtype, double value) {
  if (!is_integer(dtype) || dtype == DType::i64) return value;
  const Range range = range_of(dtype);
  const double period = range.high - range.low + 1;
  return value - period * std::floor((value - range.low) / period);
}

template <class F>
std::vector<Array> unary(const ReferenceCall& call, F f) {
  Array out = call.operands[0];
  for (double& value : out.values) value = wrapped(out.type.dtype, f(value));
  return {out};
}

template <class F>
std::vector<Array> binary(const ReferenceCall& call, DType result, F f) {
  Array out = call.operands[0];
  out.type.dtype = result;
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.values[i] = wrapped(result, f(call.operands[0].values[i], call.operands[1].values[i]));
  return {out};
}

template <class F>
std::vector<Array> binary(const ReferenceCall& call, F f) {
  return binary(call, call.operands[0].type.dtype, f);
}

double cast_value(DType from, DType to, double value) {
  if (to == DType::f32) return static_cast<double>(static_cast<float>(value));
  if (program::is_float(to)) return value;
  if (to == DType::boolean) return value != 0 ? 1 : 0;
  if (!program::is_float(from)) return wrapped(to, value);
  if (std::isnan(value)) return 0;
  const Range range = range_of(to);
  const double whole = std::trunc(value);
  return whole < range.low ? range.low : whole > range.high ? range.high : whole;
}

std::vector<Array> cast(const ReferenceCall& call) {
  Array out = call.operands[0];
  const DType from = out.type.dtype;
  out.type.dtype = call.attributes.dtype("dtype");
  for (double& value : out.values) value = cast_value(from, out.type.dtype, value);
  return {out};
}

std::vector<Array> constant(const ReferenceCall& call) {
  Array out = zeros(call.attributes.dtype("dtype"), {});
  out.values[0] = call.attributes.real("value");
  return {out};
}

std::vector<Array> batch_size(const ReferenceCall& call) {
  Array out = zeros(call.attributes.dtype("dtype"), {});
  out.values[0] = static_cast<double>(call.rows);
  return {out};
}

std::vector<Array> select(const ReferenceCall& call) {
  Array out = call.operands[1];
  for (std::size_t i = 0; i < out.values.size(); ++i)
    if (call.operands[0].values[i] == 0) out.values[i] = call.operands[2].values[i];
  return {out};
}

double greater_of(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kNan;
  return a > b ? a : b;
}

}  // namespace

std::vector<NamedReference> elementwise_references() {
  using Call = const ReferenceCall&;
  return {
      {"constant", constant},
      {"batch_size", batch_size},
      {"add", [](Call c) { return binary(c, [](double a, double b) { return a + b; }); }},
      {"subtract", [](Call c) { return binary(c, [](double a, double b) { return a - b; }); }},
      {"multiply", [](Call c) { return binary(c, [](double a, double b) { return a * b; }); }},
      {"divide", [](Call c) { return binary(c, [](double a, double b) { return a / b; }); }},
      {"maximum", [](Call c) { return binary(c, greater_of); }},
      {"negate", [](Call c) { return unary(c, [](double x) { return -x; }); }},
      {"exp", [](Call c) { return unary(c, [](double x) { return std::exp(x); }); }},
      {"log", [](Call c) { return unary(c, [](double x) { return std::log(x); }); }},
      {"sqrt", [](Call c) { return unary(c, [](double x) { return std::sqrt(x); }); }},
      {"tanh", [](Call c) { return unary(c, [](double x) { return std::tanh(x); }); }},
      {"sigmoid", [](Call c) { return unary(c, [](double x) { return 1 / (1 + std::exp(-x)); }); }},
      {"relu", [](Call c) { return unary(c, [](double x) { return greater_of(x, 0); }); }},
      {"relu_gradient",
       [](Call c) { return binary(c, [](double x, double g) { return x > 0 ? g : 0.0; }); }},
      {"equal",
       [](Call c) {
         return binary(c, DType::boolean, [](double a, double b) { return a == b ? 1.0 : 0.0; });
       }},
      {"greater",
       [](Call c) {
         return binary(c, DType::boolean, [](double a, double b) { return a > b ? 1.0 : 0.0; });
       }},
      {"select", select},
      {"cast", cast},
  };
}

}  // namespace penstock::conformance
