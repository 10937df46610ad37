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

}  // namespace

bool map_f32(Kernel kernel, const MapBlock& block) {
  return arithmetic_f32(kernel, block) || function_f32(kernel, block);
}

bool map_f64(Kernel kernel, const MapBlock& block) {
  return arithmetic_f64(kernel, block) || function_f64(kernel, block);
}

}  // namespace penstock::runtime::cpu
