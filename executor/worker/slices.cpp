#include "executor/worker/slices.h"

#include <cstring>

#include "base/check.h"
#include "executor/runtime/extents.h"

namespace penstock::executor {
namespace {

/// A slice as `outer` runs of `run` bytes, `stride` bytes apart, the first at `first`.
struct Runs {
  std::size_t outer = 1, first = 0, run = 0, stride = 0;
};

Runs runs_of(const program::TensorType& whole, const Slice& slice) {
  const auto all = static_cast<std::size_t>(program::byte_count(whole));
  if (slice.whole()) return {.outer = 1, .first = 0, .run = all, .stride = all};
  auto inner = static_cast<std::size_t>(program::size_of(whole.dtype));
  std::size_t outer = 1;
  for (std::size_t i = 0; i < whole.shape.size(); ++i) {
    const auto extent = static_cast<std::size_t>(whole.shape[i].bound);
    if (i < static_cast<std::size_t>(slice.dim)) outer *= extent;
    if (i > static_cast<std::size_t>(slice.dim)) inner *= extent;
  }
  const auto extent =
      static_cast<std::size_t>(whole.shape[static_cast<std::size_t>(slice.dim)].bound);
  return {.outer = outer,
          .first = static_cast<std::size_t>(slice.range.begin) * inner,
          .run = static_cast<std::size_t>(slice.range.size()) * inner,
          .stride = extent * inner};
}

}  // namespace

program::TensorType with_rows(program::TensorType type, std::int64_t rows) {
  for (auto& dim : type.shape)
    if (dim.dynamic) dim = program::Dim(rows);
  return type;
}

Result<Slice> slice_of(const program::Mesh& mesh, const program::Sharding& sharding,
                       const program::TensorType& whole, std::int64_t rank) {
  Slice slice;
  for (std::size_t axis = 0; axis < sharding.size() && axis < mesh.axes.size(); ++axis) {
    if (mesh.axes[axis].time || mesh.axes[axis].size == 1) continue;
    const auto& spread = sharding[axis];
    if (spread.spread == program::Spread::replicated) continue;
    if (spread.spread != program::Spread::split)
      return Error{ErrorCode::unimplemented,
                   "a tensor that is partial or distinct over mesh axis '" + mesh.axes[axis].name +
                       "' has no whole form that could be sent or read"};
    if (!slice.whole() && slice.dim != spread.dim)
      return Error{ErrorCode::unimplemented,
                   "a tensor that is cut along dimensions " + std::to_string(slice.dim) + " and " +
                       std::to_string(spread.dim) +
                       " at once cannot be sent or read yet; cut one dimension only"};
    PENSTOCK_CHECK(spread.dim >= 0 && static_cast<std::size_t>(spread.dim) < whole.shape.size());
    slice.dim = spread.dim;
  }
  if (slice.whole()) return slice;
  slice.range =
      runtime::share_of(whole.shape[static_cast<std::size_t>(slice.dim)].bound, slice.dim, sharding,
                        mesh, runtime::position_of(mesh, rank), runtime::Share::device);
  return slice;
}

std::uint64_t slice_bytes(const program::TensorType& whole, const Slice& slice) {
  const Runs runs = runs_of(whole, slice);
  return runs.outer * runs.run;
}

std::optional<std::span<const std::byte>> in_one_piece(std::span<const std::byte> bytes,
                                                       const program::TensorType& whole,
                                                       const Slice& slice) {
  const Runs runs = runs_of(whole, slice);
  if (runs.outer == 1 || runs.run == runs.stride)
    return bytes.subspan(runs.first, runs.outer * runs.run);
  return std::nullopt;
}

void cut(std::span<const std::byte> bytes, const program::TensorType& whole, const Slice& slice,
         std::span<std::byte> into) {
  const Runs runs = runs_of(whole, slice);
  PENSTOCK_CHECK(into.size() == runs.outer * runs.run);
  if (runs.run == 0) return;
  for (std::size_t i = 0; i < runs.outer; ++i)
    std::memcpy(into.data() + i * runs.run, bytes.data() + runs.first + i * runs.stride, runs.run);
}

void paste(std::span<const std::byte> part, const program::TensorType& whole, const Slice& slice,
           std::span<std::byte> bytes) {
  const Runs runs = runs_of(whole, slice);
  PENSTOCK_CHECK(part.size() == runs.outer * runs.run);
  if (runs.run == 0) return;
  for (std::size_t i = 0; i < runs.outer; ++i)
    std::memcpy(bytes.data() + runs.first + i * runs.stride, part.data() + i * runs.run, runs.run);
}

}  // namespace penstock::executor
