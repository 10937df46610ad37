#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "schema/program/sharding.h"
#include "schema/program/types.h"

namespace penstock::executor {

/// Where a rank's part of a tensor lies in the whole one: a range of one dimension.
struct Slice {
  int dim = -1;  // -1: the rank holds the whole tensor
  program::Range range;
  bool whole() const { return dim < 0; }
  bool operator==(const Slice&) const = default;
};

/// The type with its dynamic dimension at its true size.
program::TensorType with_rows(program::TensorType type, std::int64_t rows);

/// The part of a tensor (true extents) that `rank` holds. Time axes cut a rank's own part further
/// and do not count here.
/// Errors: unimplemented for a tensor that is cut along two dimensions, or is partial or distinct
Result<Slice> slice_of(const program::Mesh& mesh, const program::Sharding& sharding,
                       const program::TensorType& whole, std::int64_t rank);

std::uint64_t slice_bytes(const program::TensorType& whole, const Slice& slice);

/// The slice's bytes where they lie in one piece in the whole tensor.
std::optional<std::span<const std::byte>> in_one_piece(std::span<const std::byte> bytes,
                                                       const program::TensorType& whole,
                                                       const Slice& slice);

/// Copies a slice out of the whole tensor. `into` has slice_bytes() bytes.
void cut(std::span<const std::byte> bytes, const program::TensorType& whole, const Slice& slice,
         std::span<std::byte> into);

/// Copies a slice to its place in the whole tensor.
void paste(std::span<const std::byte> part, const program::TensorType& whole, const Slice& slice,
           std::span<std::byte> bytes);

}  // namespace penstock::executor
