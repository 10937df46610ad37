#include <algorithm>
#include <array>
#include <cstring>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/strided.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;

using program::Kernel;

/// One row of the result.
template <class T>
void copy_row(T* out, const T* in, std::int64_t n, std::int64_t stride) {
  if (stride == 1) {
    std::memmove(out, in, static_cast<std::size_t>(n) * sizeof(T));
  } else if (stride == 0) {
    std::fill(out, out + n, *in);
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i] = in[i * stride];
  }
}

/// out [rows, columns] dense = in read with strides; tiles keep both sides in the first cache.
template <class T>
void copy_tiles(T* out, const T* in, std::int64_t rows, std::int64_t columns,
                std::int64_t row_stride, std::int64_t column_stride) {
  constexpr std::int64_t kTile = 32;
  for (std::int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const std::int64_t r1 = std::min(r0 + kTile, rows);
    for (std::int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const std::int64_t c1 = std::min(c0 + kTile, columns);
      for (std::int64_t r = r0; r < r1; ++r) {
        for (std::int64_t c = c0; c < c1; ++c) {
          out[r * columns + c] = in[r * row_stride + c * column_stride];
        }
      }
    }
  }
}

/// out dense = in with the result's extents and its own strides.
template <class T>
void copy_strided(int threads, const TensorView& result, const TensorView& operand) {
  const Walk walk = merge_dimensions(result, {&operand, 1});
  if (walk.elements() == 0) return;
  T* const out = reinterpret_cast<T*>(result.data);
  const T* const in = reinterpret_cast<const T*>(operand.data);
  const int inner = std::min(walk.rank, 2);
  const std::int64_t columns = inner >= 1 ? walk.extents[at(walk.rank - 1)] : 1;
  const std::int64_t column_stride = inner >= 1 ? walk.strides[0][at(walk.rank - 1)] : 0;
  const std::int64_t rows = inner == 2 ? walk.extents[at(walk.rank - 2)] : 1;
  const std::int64_t row_stride = inner == 2 ? walk.strides[0][at(walk.rank - 2)] : 0;
  const std::int64_t blocks = walk.elements() / (rows * columns);
  const bool tiled = column_stride > 1 && row_stride < column_stride;

  // Where there are many blocks they are shared out, otherwise the rows of each.
  const auto run_block = [&](std::int64_t block, std::int64_t offset, std::int64_t first,
                             std::int64_t last) {
    T* to = out + (block * rows + first) * columns;
    const T* from = in + offset + first * row_stride;
    if (tiled) {
      copy_tiles(to, from, last - first, columns, row_stride, column_stride);
      return;
    }
    for (std::int64_t r = first; r < last; ++r, to += columns, from += row_stride) {
      copy_row(to, from, columns, column_stride);
    }
  };
  if (blocks >= threads) {
    parallel_for(threads, blocks, std::max<std::int64_t>(1, kGrain / (rows * columns)),
                 [&](std::int64_t begin, std::int64_t end) {
                   Odometer odometer(walk, walk.rank - inner);
                   odometer.seek(begin);
                   for (std::int64_t b = begin; b < end; ++b, odometer.next()) {
                     run_block(b, odometer.offset(0), 0, rows);
                   }
                 });
    return;
  }
  Odometer odometer(walk, walk.rank - inner);
  for (std::int64_t b = 0; b < blocks; ++b, odometer.next()) {
    parallel_for(threads, rows, std::max<std::int64_t>(1, kGrain / columns),
                 [&](std::int64_t begin, std::int64_t end) {
                   run_block(b, odometer.offset(0), begin, end);
                 });
  }
}

/// The operand as the result sees it: its dimensions moved to their places, stride 0 elsewhere.
TensorView arranged(const Context& context, const TensorView& operand, const TensorView& result) {
  TensorView view = operand;
  view.rank = result.rank;
  view.extents = result.extents;
  view.strides = {};
  if (context.kernel == Kernel::copy_transpose) {
    const auto& permutation = context.attributes.integers("permutation");
    for (int i = 0; i < result.rank; ++i) {
      view.strides[at(i)] = operand.strides[static_cast<std::size_t>(permutation[at(i)])];
    }
    return view;
  }
  const auto& dims = context.attributes.integers("dims");
  for (int i = 0; i < operand.rank; ++i) {
    const bool stretched = operand.extents[at(i)] == 1;
    view.strides[static_cast<std::size_t>(dims[at(i)])] = stretched ? 0 : operand.strides[at(i)];
  }
  return view;
}

}  // namespace

Status run_copy(const Context& context, const Launch& launch) {
  const TensorView& result = launch.outputs[0];
  const TensorView& operand = launch.inputs[0];
  const std::int64_t element_bytes = program::size_of(result.dtype);
  if (result.elements() == 0) return {};
  if (context.kernel == Kernel::copy_plain) {
    if (result.data == operand.data) return {};
    parallel_for(context.threads, result.elements() * element_bytes, 4 * kGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   std::memmove(result.data + begin, operand.data + begin,
                                static_cast<std::size_t>(end - begin));
                 });
    return {};
  }
  if (context.kernel == Kernel::copy_slice || context.kernel == Kernel::copy_pad ||
      context.kernel == Kernel::copy_concat)
    return run_copy_parts(context, launch);
  const TensorView view = arranged(context, operand, result);
  switch (element_bytes) {
    case 1:
      copy_strided<std::uint8_t>(context.threads, result, view);
      return {};
    case 2:
      copy_strided<std::uint16_t>(context.threads, result, view);
      return {};
    case 4:
      copy_strided<std::uint32_t>(context.threads, result, view);
      return {};
    case 8:
      copy_strided<std::uint64_t>(context.threads, result, view);
      return {};
    default:
      return no_kernel(context.kernel, result.dtype);
  }
}

}  // namespace penstock::runtime::cpu
