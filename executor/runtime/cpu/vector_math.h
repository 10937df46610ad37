#pragma once

#include <cmath>

// The vector versions of these are in glibc's libmvec (at most 4 units in the last place). glibc's
// own headers declare them under -ffast-math only, which would break NaN and infinity elsewhere.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
extern "C" {
__attribute__((simd("notinbranch"))) float expf(float) noexcept;
__attribute__((simd("notinbranch"))) double exp(double) noexcept;
__attribute__((simd("notinbranch"))) float logf(float) noexcept;
__attribute__((simd("notinbranch"))) double log(double) noexcept;
__attribute__((simd("notinbranch"))) float tanhf(float) noexcept;
__attribute__((simd("notinbranch"))) double tanh(double) noexcept;
}
#endif

namespace penstock::runtime::cpu {

inline __attribute__((always_inline)) float exponential(float x) {
  return ::expf(x);
}
inline __attribute__((always_inline)) double exponential(double x) {
  return ::exp(x);
}
inline __attribute__((always_inline)) float logarithm(float x) {
  return ::logf(x);
}
inline __attribute__((always_inline)) double logarithm(double x) {
  return ::log(x);
}
inline __attribute__((always_inline)) float hyperbolic_tangent(float x) {
  return ::tanhf(x);
}
inline __attribute__((always_inline)) double hyperbolic_tangent(double x) {
  return ::tanh(x);
}
inline __attribute__((always_inline)) float square_root(float x) {
  return __builtin_sqrtf(x);
}
inline __attribute__((always_inline)) double square_root(double x) {
  return __builtin_sqrt(x);
}

}  // namespace penstock::runtime::cpu
