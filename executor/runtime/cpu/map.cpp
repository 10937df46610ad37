#include <algorithm>
#include <atomic>
#include <string>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/map_rows.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/strided.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;

using program::DType;
using program::Kernel;

}  // namespace

bool run_map_block(Kernel kernel, DType in, DType out, const MapBlock& block) {
  if (kernel == Kernel::map_cast) return map_cast(in, out, block);
  if (kernel == Kernel::map_select) return map_select(program::size_of(out), block);
  switch (in) {
    case DType::f32:
      return map_f32(kernel, block);
    case DType::f64:
      return map_f64(kernel, block);
    case DType::i32:
      return map_i32(kernel, block);
    case DType::i64:
      return map_i64(kernel, block);
    case DType::u8:
      return map_u8(kernel, block);
    case DType::boolean:
      return map_u8(kernel, block);  // infer has refused what makes no sense of them
    default:
      return false;
  }
}

namespace {

/// Part [begin, end) of the rows (or, where there is one row, of the columns) of a block.
MapBlock part(MapBlock block, const Launch& launch, std::int64_t begin, std::int64_t end) {
  const bool by_rows = block.rows > 1;
  const std::int64_t skipped = by_rows ? begin * block.columns : begin;
  block.result =
      static_cast<std::byte*>(block.result) + skipped * program::size_of(launch.outputs[0].dtype);
  for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
    const std::int64_t step = by_rows ? block.row_strides[k] : block.column_strides[k];
    block.operands[k] = static_cast<const std::byte*>(block.operands[k]) +
                        begin * step * program::size_of(launch.inputs[k].dtype);
  }
  (by_rows ? block.rows : block.columns) = end - begin;
  return block;
}

}  // namespace

Error no_kernel(Kernel kernel, DType dtype) {
  return {ErrorCode::unimplemented, std::string(program::name(kernel)) + ": no kernel for " +
                                        std::string(program::name(dtype)) +
                                        " on the cpu backend; cast to f32 or f64 first"};
}

Status run_map(const Context& context, const Launch& launch) {
  const TensorView& result = launch.outputs[0];
  const Walk walk = merge_dimensions(result, launch.inputs);
  if (walk.elements() == 0) return {};

  // The two innermost dimensions are one block; an odometer counts through the rest.
  const int inner = std::min(walk.rank, 2);
  MapBlock block{.rows = 1, .columns = 1};
  if (inner >= 1) block.columns = walk.extents[at(walk.rank - 1)];
  if (inner == 2) block.rows = walk.extents[at(walk.rank - 2)];
  for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
    if (inner >= 1) block.column_strides[k] = walk.strides[k][at(walk.rank - 1)];
    if (inner == 2) block.row_strides[k] = walk.strides[k][at(walk.rank - 2)];
  }
  const int outer = walk.rank - inner;
  std::int64_t blocks = 1;
  for (int dim = 0; dim < outer; ++dim) blocks *= walk.extents[at(dim)];

  Odometer odometer(walk, outer);
  const std::int64_t result_bytes = block.rows * block.columns * program::size_of(result.dtype);
  bool known = true;
  for (std::int64_t i = 0; i < blocks && known; ++i) {
    block.result = result.data + i * result_bytes;
    for (std::size_t k = 0; k < launch.inputs.size(); ++k) {
      const TensorView& operand = launch.inputs[k];
      block.operands[k] =
          operand.data + odometer.offset(static_cast<int>(k)) * program::size_of(operand.dtype);
    }
    const bool by_rows = block.rows > 1;
    const std::int64_t grain = by_rows ? std::max<std::int64_t>(1, kGrain / block.columns) : kGrain;
    std::atomic<bool> all_known = true;
    parallel_for(context.threads, by_rows ? block.rows : block.columns, grain,
                 [&](std::int64_t begin, std::int64_t end) {
                   if (!run_map_block(context.kernel, launch.inputs[0].dtype, result.dtype,
                                      part(block, launch, begin, end))) {
                     all_known = false;
                   }
                 });
    known = all_known;
    odometer.next();
  }
  if (!known) return no_kernel(context.kernel, launch.inputs[0].dtype);
  return {};
}

}  // namespace penstock::runtime::cpu
