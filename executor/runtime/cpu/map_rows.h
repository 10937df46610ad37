#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "executor/runtime/backend.h"
#include "executor/runtime/cpu/vectorize.h"
#include "schema/program/kernel.h"

namespace penstock::runtime::cpu {

/// A map launch brought to two dimensions: `rows` x `columns` elements of a dense result, of which
/// operand i is read with these strides in elements.
struct MapBlock {
  std::int64_t rows = 0, columns = 0;
  void* result = nullptr;
  std::array<const void*, 3> operands{};
  std::array<std::int64_t, 3> row_strides{};
  std::array<std::int64_t, 3> column_strides{};
};

/// Runs a map of any kind on a block whose operands have element type `in`. False: see below.
bool run_map_block(program::Kernel kernel, program::DType in, program::DType out,
                   const MapBlock& block);

/// Whether a function below took the kernel; false means that it does not exist for the type.
bool map_f32(program::Kernel kernel, const MapBlock& block);
bool map_f64(program::Kernel kernel, const MapBlock& block);
/// Trigonometry, hyperbolic functions, powers and the error function.
bool map_maths_f32(program::Kernel kernel, const MapBlock& block);
bool map_maths_f64(program::Kernel kernel, const MapBlock& block);
bool map_i32(program::Kernel kernel, const MapBlock& block);
bool map_i64(program::Kernel kernel, const MapBlock& block);
bool map_u8(program::Kernel kernel, const MapBlock& block);
/// For elements of 1, 4 or 8 bytes.
bool map_select(std::int64_t element_bytes, const MapBlock& block);
/// Between any two element types that have kernels. To integers: towards zero, saturating, NaN
/// becomes 0. To bool: whether the value is not 0.
bool map_cast(program::DType from, program::DType to, const MapBlock& block);

// The loops ---------------------------------------------------------------------------------------

template <class In, class Out, class F>
PENSTOCK_INLINE void map_unary(const MapBlock& block, F f) {
  const std::int64_t n = block.columns, stride = block.column_strides[0];
  for (std::int64_t row = 0; row < block.rows; ++row) {
    Out* out = static_cast<Out*>(block.result) + row * n;
    const In* a = static_cast<const In*>(block.operands[0]) + row * block.row_strides[0];
    if (stride == 1) {
      PENSTOCK_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i]);
    } else if (stride == 0) {
      const Out value = f(*a);
      for (std::int64_t i = 0; i < n; ++i) out[i] = value;
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i * stride]);
    }
  }
}

template <class In, class Out, class F>
PENSTOCK_INLINE void map_binary(const MapBlock& block, F f) {
  const std::int64_t n = block.columns;
  const std::int64_t sa = block.column_strides[0], sb = block.column_strides[1];
  for (std::int64_t row = 0; row < block.rows; ++row) {
    Out* out = static_cast<Out*>(block.result) + row * n;
    const In* a = static_cast<const In*>(block.operands[0]) + row * block.row_strides[0];
    const In* b = static_cast<const In*>(block.operands[1]) + row * block.row_strides[1];
    if (sa == 1 && sb == 1) {
      PENSTOCK_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
    } else if (sa == 1 && sb == 0) {
      const In y = *b;
      PENSTOCK_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i], y);
    } else if (sa == 0 && sb == 1) {
      const In x = *a;
      PENSTOCK_INDEPENDENT
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(x, b[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = f(a[i * sa], b[i * sb]);
    }
  }
}

}  // namespace penstock::runtime::cpu
