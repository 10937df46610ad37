#pragma once

#include <cstdint>
#include <vector>

#include "schema/program/sharding.h"
#include "schema/program/types.h"

namespace penstock::compiler {

/// The axes that cut dimension `dim`, outermost first: devices in mesh order, then time, so that a
/// device's micro-batches lie one behind the other.
std::vector<int> axes_of_dim(const program::Sharding& sharding, const program::Mesh& mesh, int dim);

/// Bounds of one device and micro-batch: a dynamic dimension is cut to ceil(bound / parts), axis by
/// axis; a static one exactly (a failed check if the parts do not divide it).
program::TensorType local_type(const program::TensorType& global, const program::Sharding& sharding,
                               const program::Mesh& mesh);

/// Bounds of one device with all its micro-batches: cut over devices alone.
program::TensorType device_type(const program::TensorType& global,
                                const program::Sharding& sharding, const program::Mesh& mesh);

/// Whether the time axis of the mesh cuts the value.
bool is_time_split(const program::Sharding& sharding, const program::Mesh& mesh);
/// Index of the time axis with more than one micro-batch, or -1.
int time_axis(const program::Mesh& mesh);

}  // namespace penstock::compiler
