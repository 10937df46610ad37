#include <cstdint>
#include <limits>
#include <type_traits>

#include "executor/runtime/cpu/map_rows.h"

namespace penstock::runtime::cpu {
namespace {

using program::Kernel;

/// Arithmetic modulo 2^bits, as the unsigned type does it: overflow is defined.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
PENSTOCK_INLINE T wrap(Wrapping<T> value) {
  return static_cast<T>(value);
}

/// Towards zero. Division by zero gives 0 and the lowest value by -1 gives itself: a program from
/// outside must not be able to raise SIGFPE.
template <class T>
PENSTOCK_INLINE T divide(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return wrap<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
PENSTOCK_INLINE bool map_integer(Kernel kernel, const MapBlock& block) {
  using W = Wrapping<T>;
  switch (kernel) {
    case Kernel::map_add:
      map_binary<T, T>(block,
                       [](T a, T b) { return wrap<T>(static_cast<W>(a) + static_cast<W>(b)); });
      return true;
    case Kernel::map_subtract:
      map_binary<T, T>(block,
                       [](T a, T b) { return wrap<T>(static_cast<W>(a) - static_cast<W>(b)); });
      return true;
    case Kernel::map_multiply:
      map_binary<T, T>(block,
                       [](T a, T b) { return wrap<T>(static_cast<W>(a) * static_cast<W>(b)); });
      return true;
    case Kernel::map_divide:
      map_binary<T, T>(block, [](T a, T b) { return divide<T>(a, b); });
      return true;
    case Kernel::map_maximum:
      map_binary<T, T>(block, [](T a, T b) { return a > b ? a : b; });
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
    case Kernel::map_minimum:
      map_binary<T, T>(block, [](T a, T b) { return a < b ? a : b; });
      return true;
    case Kernel::map_abs:
      map_unary<T, T>(block, [](T x) { return x < 0 ? wrap<T>(W{0} - static_cast<W>(x)) : x; });
      return true;
    case Kernel::map_sign:
      map_unary<T, T>(block, [](T x) { return static_cast<T>((x > 0) - (x < 0)); });
      return true;
    case Kernel::map_logical_and:
      map_binary<T, T>(block, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
      return true;
    case Kernel::map_logical_or:
      map_binary<T, T>(block, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
      return true;
    case Kernel::map_logical_xor:
      map_binary<T, T>(block, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
      return true;
    case Kernel::map_logical_not:
      map_unary<T, T>(block, [](T x) { return static_cast<T>(x == 0); });
      return true;
    case Kernel::map_negate:
      map_unary<T, T>(block, [](T x) { return wrap<T>(W{0} - static_cast<W>(x)); });
      return true;
    case Kernel::map_relu:
      map_unary<T, T>(block, [](T x) { return x > 0 ? x : T{0}; });
      return true;
    default:
      return false;
  }
}

template <class T>
PENSTOCK_INLINE void select(const MapBlock& block) {
  const std::int64_t n = block.columns;
  const std::int64_t sc = block.column_strides[0], sa = block.column_strides[1],
                     sb = block.column_strides[2];
  for (std::int64_t row = 0; row < block.rows; ++row) {
    T* out = static_cast<T*>(block.result) + row * n;
    const auto* c =
        static_cast<const std::uint8_t*>(block.operands[0]) + row * block.row_strides[0];
    const T* a = static_cast<const T*>(block.operands[1]) + row * block.row_strides[1];
    const T* b = static_cast<const T*>(block.operands[2]) + row * block.row_strides[2];
    if (sc == 1 && sa == 1 && sb == 1) {
      PENSTOCK_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) {
        const T x = a[i], y = b[i];
        out[i] = c[i] != 0 ? x : y;
      }
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = c[i * sc] != 0 ? a[i * sa] : b[i * sb];
    }
  }
}

PENSTOCK_CLONES bool integers_32(Kernel kernel, const MapBlock& block) {
  return map_integer<std::int32_t>(kernel, block);
}
PENSTOCK_CLONES bool integers_64(Kernel kernel, const MapBlock& block) {
  return map_integer<std::int64_t>(kernel, block);
}
PENSTOCK_CLONES bool bytes(Kernel kernel, const MapBlock& block) {
  return map_integer<std::uint8_t>(kernel, block);
}
PENSTOCK_CLONES void select_8(const MapBlock& block) {
  select<std::uint8_t>(block);
}
PENSTOCK_CLONES void select_32(const MapBlock& block) {
  select<std::uint32_t>(block);
}
PENSTOCK_CLONES void select_64(const MapBlock& block) {
  select<std::uint64_t>(block);
}

}  // namespace

bool map_i32(Kernel kernel, const MapBlock& block) {
  return integers_32(kernel, block);
}
bool map_i64(Kernel kernel, const MapBlock& block) {
  return integers_64(kernel, block);
}
bool map_u8(Kernel kernel, const MapBlock& block) {
  return bytes(kernel, block);
}

bool map_select(std::int64_t element_bytes, const MapBlock& block) {
  switch (element_bytes) {
    case 1:
      select_8(block);
      return true;
    case 4:
      select_32(block);
      return true;
    case 8:
      select_64(block);
      return true;
    default:
      return false;
  }
}

}  // namespace penstock::runtime::cpu
