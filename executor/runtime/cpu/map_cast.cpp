#include <cstdint>
#include <limits>
#include <type_traits>

#include "executor/runtime/cpu/map_rows.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;

struct Truth {};  // the element type bool, stored as one byte 0 or 1

template <class Out, class In>
PENSTOCK_INLINE auto convert(In x) {
  if constexpr (std::is_same_v<Out, Truth>) {
    return static_cast<std::uint8_t>(x != In{0});
  } else if constexpr (std::is_floating_point_v<In> && std::is_integral_v<Out>) {
    // The bounds are powers of two (or 0), which every float type holds exactly.
    constexpr In low = static_cast<In>(std::numeric_limits<Out>::min());
    constexpr In above = std::is_same_v<Out, std::uint8_t>
                             ? In{256}
                             : -static_cast<In>(std::numeric_limits<Out>::min());
    if (x != x) return Out{0};
    if (x < low) return std::numeric_limits<Out>::min();
    if (x >= above) return std::numeric_limits<Out>::max();
    return static_cast<Out>(x);
  } else if constexpr (std::is_integral_v<In> && std::is_integral_v<Out>) {
    if constexpr (sizeof(In) > sizeof(Out) || (std::is_signed_v<In> && !std::is_signed_v<Out>)) {
      if (x < static_cast<In>(std::numeric_limits<Out>::min()))
        return std::numeric_limits<Out>::min();
      if (x > static_cast<In>(std::numeric_limits<Out>::max()))
        return std::numeric_limits<Out>::max();
    }
    return static_cast<Out>(x);
  } else {
    return static_cast<Out>(x);
  }
}

template <class In>
PENSTOCK_INLINE bool cast_from(DType to, const MapBlock& block) {
  switch (to) {
    case DType::f32:
      map_unary<In, float>(block, [](In x) { return convert<float>(x); });
      return true;
    case DType::f64:
      map_unary<In, double>(block, [](In x) { return convert<double>(x); });
      return true;
    case DType::i32:
      map_unary<In, std::int32_t>(block, [](In x) { return convert<std::int32_t>(x); });
      return true;
    case DType::i64:
      map_unary<In, std::int64_t>(block, [](In x) { return convert<std::int64_t>(x); });
      return true;
    case DType::u8:
      map_unary<In, std::uint8_t>(block, [](In x) { return convert<std::uint8_t>(x); });
      return true;
    case DType::boolean:
      map_unary<In, std::uint8_t>(block, [](In x) { return convert<Truth>(x); });
      return true;
    default:
      return false;
  }
}

PENSTOCK_CLONES bool cast_f32(DType to, const MapBlock& block) {
  return cast_from<float>(to, block);
}
PENSTOCK_CLONES bool cast_f64(DType to, const MapBlock& block) {
  return cast_from<double>(to, block);
}
PENSTOCK_CLONES bool cast_i32(DType to, const MapBlock& block) {
  return cast_from<std::int32_t>(to, block);
}
PENSTOCK_CLONES bool cast_i64(DType to, const MapBlock& block) {
  return cast_from<std::int64_t>(to, block);
}
PENSTOCK_CLONES bool cast_u8(DType to, const MapBlock& block) {
  return cast_from<std::uint8_t>(to, block);
}

}  // namespace

bool map_cast(DType from, DType to, const MapBlock& block) {
  switch (from) {
    case DType::f32:
      return cast_f32(to, block);
    case DType::f64:
      return cast_f64(to, block);
    case DType::i32:
      return cast_i32(to, block);
    case DType::i64:
      return cast_i64(to, block);
    case DType::u8:
    case DType::boolean:
      return cast_u8(to, block);
    default:
      return false;
  }
}

}  // namespace penstock::runtime::cpu
