#include <cmath>
#include <cstdint>

#include "executor/runtime/cpu/map_rows.h"
#include "executor/runtime/cpu/vector_math.h"

namespace penstock::runtime::cpu {
namespace {

using program::Kernel;

template <class T>
PENSTOCK_INLINE bool map_arithmetic(Kernel kernel, const MapBlock& block) {
  switch (kernel) {
    case Kernel::map_add:
      map_binary<T, T>(block, [](T a, T b) { return a + b; });
      return true;
    case Kernel::map_subtract:
      map_binary<T, T>(block, [](T a, T b) { return a - b; });
      return true;
    case Kernel::map_multiply:
      map_binary<T, T>(block, [](T a, T b) { return a * b; });
      return true;
    case Kernel::map_divide:
      map_binary<T, T>(block, [](T a, T b) { return a / b; });
      return true;
    case Kernel::map_maximum:  // a NaN on either side comes through
      map_binary<T, T>(block, [](T a, T b) {
        const T largest = a > b ? a : b;
        return a != a ? a : largest;
      });
      return true;
    case Kernel::map_relu_gradient:
      map_binary<T, T>(block, [](T x, T g) { return x > 0 ? g : T{0}; });
      return true;
    case Kernel::map_equal:
      map_binary<T, std::uint8_t>(block, [](T a, T b) -> std::uint8_t { return a == b; });
      return true;
    case Kernel::map_greater:
      map_binary<T, std::uint8_t>(block, [](T a, T b) -> std::uint8_t { return a > b; });
      return true;
    case Kernel::map_not_equal:
      map_binary<T, std::uint8_t>(block, [](T a, T b) -> std::uint8_t { return a != b; });
      return true;
    case Kernel::map_less:
      map_binary<T, std::uint8_t>(block, [](T a, T b) -> std::uint8_t { return a < b; });
      return true;
    case Kernel::map_less_equal:
      map_binary<T, std::uint8_t>(block, [](T a, T b) -> std::uint8_t { return a <= b; });
      return true;
    case Kernel::map_greater_equal:
      map_binary<T, std::uint8_t>(block, [](T a, T b) -> std::uint8_t { return a >= b; });
      return true;
    case Kernel::map_minimum:  // a NaN on either side comes through
      map_binary<T, T>(block, [](T a, T b) {
        const T least = a < b ? a : b;
        return a != a ? a : least;
      });
      return true;
    case Kernel::map_remainder:
      map_binary<T, T>(block, [](T a, T b) { return a - b * std::floor(a / b); });
      return true;
    default:
      return false;
  }
}

template <class T>
PENSTOCK_INLINE bool map_function(Kernel kernel, const MapBlock& block) {
  switch (kernel) {
    case Kernel::map_negate:
      map_unary<T, T>(block, [](T x) { return -x; });
      return true;
    case Kernel::map_exp:
      map_unary<T, T>(block, [](T x) { return exponential(x); });
      return true;
    case Kernel::map_log:
      map_unary<T, T>(block, [](T x) { return logarithm(x); });
      return true;
    case Kernel::map_sqrt:
      map_unary<T, T>(block, [](T x) { return square_root(x); });
      return true;
    case Kernel::map_tanh:
      map_unary<T, T>(block, [](T x) { return hyperbolic_tangent(x); });
      return true;
    case Kernel::map_sigmoid:
      map_unary<T, T>(block, [](T x) { return T{1} / (T{1} + exponential(-x)); });
      return true;
    case Kernel::map_relu:  // NaN comes through
      map_unary<T, T>(block, [](T x) { return x < 0 ? T{0} : x; });
      return true;
    case Kernel::map_reciprocal:
      map_unary<T, T>(block, [](T x) { return T{1} / x; });
      return true;
    case Kernel::map_rsqrt:
      map_unary<T, T>(block, [](T x) { return T{1} / square_root(x); });
      return true;
    default:
      return false;
  }
}

template <class T>
PENSTOCK_INLINE bool map_rounding(Kernel kernel, const MapBlock& block) {
  switch (kernel) {
    case Kernel::map_abs:
      map_unary<T, T>(block, [](T x) { return std::abs(x); });
      return true;
    case Kernel::map_sign:  // NaN comes through
      map_unary<T, T>(block, [](T x) { return x > 0 ? T{1} : x < 0 ? T{-1} : x; });
      return true;
    case Kernel::map_floor:
      map_unary<T, T>(block, [](T x) { return std::floor(x); });
      return true;
    case Kernel::map_ceil:
      map_unary<T, T>(block, [](T x) { return std::ceil(x); });
      return true;
    case Kernel::map_round:
      map_unary<T, T>(block, [](T x) { return std::rint(x); });
      return true;
    case Kernel::map_trunc:
      map_unary<T, T>(block, [](T x) { return std::trunc(x); });
      return true;
    case Kernel::map_is_nan:
      map_unary<T, std::uint8_t>(block, [](T x) -> std::uint8_t { return x != x; });
      return true;
    case Kernel::map_is_finite:
      map_unary<T, std::uint8_t>(block, [](T x) -> std::uint8_t { return x - x == 0; });
      return true;
    default:
      return false;
  }
}

PENSTOCK_CLONES bool arithmetic_f32(Kernel kernel, const MapBlock& block) {
  return map_arithmetic<float>(kernel, block);
}
PENSTOCK_CLONES bool arithmetic_f64(Kernel kernel, const MapBlock& block) {
  return map_arithmetic<double>(kernel, block);
}
PENSTOCK_CLONES bool function_f32(Kernel kernel, const MapBlock& block) {
  return map_function<float>(kernel, block);
}
PENSTOCK_CLONES bool function_f64(Kernel kernel, const MapBlock& block) {
  return map_function<double>(kernel, block);
}
PENSTOCK_CLONES bool rounding_f32(Kernel kernel, const MapBlock& block) {
  return map_rounding<float>(kernel, block);
}
PENSTOCK_CLONES bool rounding_f64(Kernel kernel, const MapBlock& block) {
  return map_rounding<double>(kernel, block);
}

}  // namespace

bool map_f32(Kernel kernel, const MapBlock& block) {
  return arithmetic_f32(kernel, block) || function_f32(kernel, block) ||
         rounding_f32(kernel, block) || map_maths_f32(kernel, block);
}

bool map_f64(Kernel kernel, const MapBlock& block) {
  return arithmetic_f64(kernel, block) || function_f64(kernel, block) ||
         rounding_f64(kernel, block) || map_maths_f64(kernel, block);
}

}  // namespace penstock::runtime::cpu
