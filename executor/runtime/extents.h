#pragma once

#include <cstdint>
#include <vector>

#include "executor/compiler/executable.h"
#include "executor/runtime/backend.h"
#include "schema/program/sharding.h"

namespace penstock::runtime {

/// Where a device stands at one moment of a call: its coordinate along each mesh axis. Along a time
/// axis that is the current micro-batch.
struct Position {
  std::vector<std::int64_t> coordinates;  // in mesh order
  bool operator==(const Position&) const = default;
};

/// Of the first micro-batch. Ranks count row-major over the axes that are not time.
Position position_of(const program::Mesh& mesh, std::int64_t rank);
/// The same device at micro-batch `micro`; several time axes count row-major.
Position at_micro(const program::Mesh& mesh, Position position, std::int64_t micro);
/// Micro-batches of a call: the product of the time axes.
std::int64_t micro_count(const program::Mesh& mesh);

/// Whose share of a dimension: the device's (all micro-batches), or that of the current one.
enum class Share : std::uint8_t { device, micro };

/// The part of n rows of dimension `dim` that a value with this sharding holds at the position:
/// program::part_of, nested: first the device axes in mesh order, then the time axes. In global
/// rows.
program::Range share_of(std::int64_t n, int dim, const program::Sharding& sharding,
                        const program::Mesh& mesh, const Position& position, Share share);

/// What a view depends on beside the operand.
struct Moment {
  const program::Mesh& mesh;
  const Position& position;
  std::int64_t batch_size = 0;  // true global rows
};

/// The operand as a launch sees it: true extents, dense strides; a per-micro buffer at the current
/// micro-batch. A folded broadcast is not applied yet.
TensorView view_of(const compiler::Operand& operand, const Moment& moment, std::byte* arena);

/// The view brought to the result's rank and extents, with stride 0 along what is broadcast.
TensorView broadcast_view(const TensorView& view, const compiler::Operand& operand,
                          const TensorView& result);

/// All that this device holds of the operand: every micro-batch where it is a per-micro buffer.
TensorView device_view(const compiler::Operand& operand, const Moment& moment, std::byte* arena);

/// A dense view over the given extents.
TensorView dense_view(std::byte* data, program::DType dtype,
                      const std::vector<std::int64_t>& extents);

}  // namespace penstock::runtime
