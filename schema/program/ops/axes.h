#pragma once

#include <cstdint>
#include <vector>

#include "schema/program/op.h"

namespace penstock::program {

/// Checks that `dims` are strictly increasing dimensions of `shape`.
/// Errors: invalid_argument naming dims and shape
Status check_dims(const std::vector<std::int64_t>& dims, const Shape& shape);
/// The dimensions of `shape` that are not in `dims`, increasing.
std::vector<std::int64_t> other_dims(const std::vector<std::int64_t>& dims, const Shape& shape);
/// `shape` without `dims`.
Shape without(const std::vector<std::int64_t>& dims, const Shape& shape);

/// The rule of an op that removes `dims`. What a cut along them means is said by `reduced`.
enum class Reduced { contracted, whole };
ShardingRule reduction_rule(const Shape& shape, const std::vector<std::int64_t>& dims,
                            Reduced reduced, Linearity linearity);
/// The rule of an op over the last dimension: it stays whole, the others are free.
ShardingRule last_dim_rule(const Shape& shape);

/// The rule of an op that works along `dim` of operands and results of one rank: it stays whole,
/// the others are free and alike.
ShardingRule along_rule(std::size_t rank, std::int64_t dim, std::size_t operands,
                        std::size_t results, Linearity linearity);
/// Whether `dim` is a dimension of `type`, and not the batch, whose rows lie on many devices.
/// Errors: invalid_argument naming both
Status check_dim_whole(std::int64_t dim, const TensorType& type);

/// Indices along `dim` of x: i32 or i64, and of x's shape but for the size of `dim`.
/// Errors: invalid_argument naming both
Status check_along(std::int64_t dim, const TensorType& x, const TensorType& indices);

/// 0, 1, .. rank - 1
std::vector<std::int64_t> all_dims(std::size_t rank);

}  // namespace penstock::program
