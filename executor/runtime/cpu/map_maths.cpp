#include <cmath>
#include <cstdint>

#include "executor/runtime/cpu/map_rows.h"
#include "executor/runtime/cpu/vector_math.h"

// See vector_math.h: the vector versions are in libmvec.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
extern "C" {
__attribute__((simd("notinbranch"))) float expm1f(float) noexcept;
__attribute__((simd("notinbranch"))) double expm1(double) noexcept;
__attribute__((simd("notinbranch"))) float log1pf(float) noexcept;
__attribute__((simd("notinbranch"))) double log1p(double) noexcept;
__attribute__((simd("notinbranch"))) float sinf(float) noexcept;
__attribute__((simd("notinbranch"))) double sin(double) noexcept;
__attribute__((simd("notinbranch"))) float cosf(float) noexcept;
__attribute__((simd("notinbranch"))) double cos(double) noexcept;
__attribute__((simd("notinbranch"))) float tanf(float) noexcept;
__attribute__((simd("notinbranch"))) double tan(double) noexcept;
__attribute__((simd("notinbranch"))) float asinf(float) noexcept;
__attribute__((simd("notinbranch"))) double asin(double) noexcept;
__attribute__((simd("notinbranch"))) float acosf(float) noexcept;
__attribute__((simd("notinbranch"))) double acos(double) noexcept;
__attribute__((simd("notinbranch"))) float atanf(float) noexcept;
__attribute__((simd("notinbranch"))) double atan(double) noexcept;
__attribute__((simd("notinbranch"))) float sinhf(float) noexcept;
__attribute__((simd("notinbranch"))) double sinh(double) noexcept;
__attribute__((simd("notinbranch"))) float coshf(float) noexcept;
__attribute__((simd("notinbranch"))) double cosh(double) noexcept;
__attribute__((simd("notinbranch"))) float asinhf(float) noexcept;
__attribute__((simd("notinbranch"))) double asinh(double) noexcept;
__attribute__((simd("notinbranch"))) float acoshf(float) noexcept;
__attribute__((simd("notinbranch"))) double acosh(double) noexcept;
__attribute__((simd("notinbranch"))) float atanhf(float) noexcept;
__attribute__((simd("notinbranch"))) double atanh(double) noexcept;
__attribute__((simd("notinbranch"))) float erff(float) noexcept;
__attribute__((simd("notinbranch"))) double erf(double) noexcept;
__attribute__((simd("notinbranch"))) float powf(float, float) noexcept;
__attribute__((simd("notinbranch"))) double pow(double, double) noexcept;
__attribute__((simd("notinbranch"))) float atan2f(float, float) noexcept;
__attribute__((simd("notinbranch"))) double atan2(double, double) noexcept;
}
#endif

namespace penstock::runtime::cpu {
namespace {

using program::Kernel;

PENSTOCK_CLONES bool maths_f32(Kernel kernel, const MapBlock& block) {
  switch (kernel) {
    case Kernel::map_expm1:
      map_unary<float, float>(block, [](float x) { return ::expm1f(x); });
      return true;
    case Kernel::map_log1p:
      map_unary<float, float>(block, [](float x) { return ::log1pf(x); });
      return true;
    case Kernel::map_sin:
      map_unary<float, float>(block, [](float x) { return ::sinf(x); });
      return true;
    case Kernel::map_cos:
      map_unary<float, float>(block, [](float x) { return ::cosf(x); });
      return true;
    case Kernel::map_tan:
      map_unary<float, float>(block, [](float x) { return ::tanf(x); });
      return true;
    case Kernel::map_asin:
      map_unary<float, float>(block, [](float x) { return ::asinf(x); });
      return true;
    case Kernel::map_acos:
      map_unary<float, float>(block, [](float x) { return ::acosf(x); });
      return true;
    case Kernel::map_atan:
      map_unary<float, float>(block, [](float x) { return ::atanf(x); });
      return true;
    case Kernel::map_sinh:
      map_unary<float, float>(block, [](float x) { return ::sinhf(x); });
      return true;
    case Kernel::map_cosh:
      map_unary<float, float>(block, [](float x) { return ::coshf(x); });
      return true;
    case Kernel::map_asinh:
      map_unary<float, float>(block, [](float x) { return ::asinhf(x); });
      return true;
    case Kernel::map_acosh:
      map_unary<float, float>(block, [](float x) { return ::acoshf(x); });
      return true;
    case Kernel::map_atanh:
      map_unary<float, float>(block, [](float x) { return ::atanhf(x); });
      return true;
    case Kernel::map_erf:
      map_unary<float, float>(block, [](float x) { return ::erff(x); });
      return true;
    case Kernel::map_pow:
      map_binary<float, float>(block, [](float a, float b) { return ::powf(a, b); });
      return true;
    case Kernel::map_atan2:
      map_binary<float, float>(block, [](float a, float b) { return ::atan2f(a, b); });
      return true;
    default:
      return false;
  }
}
PENSTOCK_CLONES bool maths_f64(Kernel kernel, const MapBlock& block) {
  switch (kernel) {
    case Kernel::map_expm1:
      map_unary<double, double>(block, [](double x) { return ::expm1(x); });
      return true;
    case Kernel::map_log1p:
      map_unary<double, double>(block, [](double x) { return ::log1p(x); });
      return true;
    case Kernel::map_sin:
      map_unary<double, double>(block, [](double x) { return ::sin(x); });
      return true;
    case Kernel::map_cos:
      map_unary<double, double>(block, [](double x) { return ::cos(x); });
      return true;
    case Kernel::map_tan:
      map_unary<double, double>(block, [](double x) { return ::tan(x); });
      return true;
    case Kernel::map_asin:
      map_unary<double, double>(block, [](double x) { return ::asin(x); });
      return true;
    case Kernel::map_acos:
      map_unary<double, double>(block, [](double x) { return ::acos(x); });
      return true;
    case Kernel::map_atan:
      map_unary<double, double>(block, [](double x) { return ::atan(x); });
      return true;
    case Kernel::map_sinh:
      map_unary<double, double>(block, [](double x) { return ::sinh(x); });
      return true;
    case Kernel::map_cosh:
      map_unary<double, double>(block, [](double x) { return ::cosh(x); });
      return true;
    case Kernel::map_asinh:
      map_unary<double, double>(block, [](double x) { return ::asinh(x); });
      return true;
    case Kernel::map_acosh:
      map_unary<double, double>(block, [](double x) { return ::acosh(x); });
      return true;
    case Kernel::map_atanh:
      map_unary<double, double>(block, [](double x) { return ::atanh(x); });
      return true;
    case Kernel::map_erf:
      map_unary<double, double>(block, [](double x) { return ::erf(x); });
      return true;
    case Kernel::map_pow:
      map_binary<double, double>(block, [](double a, double b) { return ::pow(a, b); });
      return true;
    case Kernel::map_atan2:
      map_binary<double, double>(block, [](double a, double b) { return ::atan2(a, b); });
      return true;
    default:
      return false;
  }
}

}  // namespace

bool map_maths_f32(Kernel kernel, const MapBlock& block) {
  return maths_f32(kernel, block);
}
bool map_maths_f64(Kernel kernel, const MapBlock& block) {
  return maths_f64(kernel, block);
}

}  // namespace penstock::runtime::cpu
