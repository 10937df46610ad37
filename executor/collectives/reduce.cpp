#include "executor/collectives/reduce.h"

#include <type_traits>

#include "base/check.h"

// One copy of each loop per instruction set, chosen at load time. Not under a sanitizer, whose
// runtime is not up when the choice is made.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PENSTOCK_PER_ISA __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define PENSTOCK_PER_ISA
#endif

namespace penstock::collectives {
namespace {

template <class T>
inline T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;  // wraps instead of overflowing
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

// `a != a` picks a NaN on the left; a NaN on the right fails the comparison and is picked too.
template <class T>
inline T max(T a, T b) {
  return ((a != a) | (a > b)) ? a : b;
}
template <class T>
inline T min(T a, T b) {
  return ((a != a) | (a < b)) ? a : b;
}

#define PENSTOCK_REDUCE_LOOPS(T, OP)                                                            \
  PENSTOCK_PER_ISA void OP##_##T(T* __restrict into, const T* __restrict from, std::size_t n) { \
    for (std::size_t i = 0; i < n; ++i) into[i] = OP<T>(into[i], from[i]);                      \
  }                                                                                             \
  PENSTOCK_PER_ISA void OP##_##T##_swapped(T* __restrict into, const T* __restrict from,        \
                                           std::size_t n) {                                     \
    for (std::size_t i = 0; i < n; ++i) into[i] = OP<T>(from[i], into[i]);                      \
  }
#define PENSTOCK_REDUCE_TYPE(T) \
  PENSTOCK_REDUCE_LOOPS(T, sum) \
  PENSTOCK_REDUCE_LOOPS(T, max) \
  PENSTOCK_REDUCE_LOOPS(T, min)

using f32 = float;
using f64 = double;
using i32 = std::int32_t;
using i64 = std::int64_t;
PENSTOCK_REDUCE_TYPE(f32)
PENSTOCK_REDUCE_TYPE(f64)
PENSTOCK_REDUCE_TYPE(i32)
PENSTOCK_REDUCE_TYPE(i64)

template <class T>
using Loop = void (*)(T* __restrict, const T* __restrict, std::size_t);

template <class T>
struct Loops {
  Loop<T> into_first;
  Loop<T> from_first;
};

template <class T>
void run(Loops<T> loops, OperandOrder order, std::span<std::byte> into,
         std::span<const std::byte> from) {
  const auto loop = order == OperandOrder::into_first ? loops.into_first : loops.from_first;
  loop(reinterpret_cast<T*>(into.data()), reinterpret_cast<const T*>(from.data()),
       into.size() / sizeof(T));
}

#define PENSTOCK_REDUCE_RUN(T)                                          \
  switch (r.op) {                                                       \
    case ReduceOp::sum:                                                 \
      return run<T>({sum_##T, sum_##T##_swapped}, r.order, into, from); \
    case ReduceOp::max:                                                 \
      return run<T>({max_##T, max_##T##_swapped}, r.order, into, from); \
    case ReduceOp::min:                                                 \
      return run<T>({min_##T, min_##T##_swapped}, r.order, into, from); \
  }                                                                     \
  return

}  // namespace

std::string_view name(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "f32";
    case ElementType::f64:
      return "f64";
    case ElementType::i32:
      return "i32";
    case ElementType::i64:
      return "i64";
  }
  return "?";
}

std::string_view name(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return "sum";
    case ReduceOp::max:
      return "max";
    case ReduceOp::min:
      return "min";
  }
  return "?";
}

void reduce(Reduction r, std::span<std::byte> into, std::span<const std::byte> from) {
  PENSTOCK_CHECK(into.size() == from.size() && into.size() % size_of(r.type) == 0);
  if (into.empty()) return;
  switch (r.type) {
    case ElementType::f32:
      PENSTOCK_REDUCE_RUN(f32);
    case ElementType::f64:
      PENSTOCK_REDUCE_RUN(f64);
    case ElementType::i32:
      PENSTOCK_REDUCE_RUN(i32);
    case ElementType::i64:
      PENSTOCK_REDUCE_RUN(i64);
  }
}

}  // namespace penstock::collectives
