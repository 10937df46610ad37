#include "executor/runtime/extents.h"

#include <string>

#include "base/check.h"
#include "executor/compiler/index.h"

namespace penstock::runtime {
namespace {

using compiler::at;

using program::AxisSharding;
using program::Range;
using program::Spread;

/// How many parts the time axes cut the dimension into, and which one is current.
struct TimeCut {
  std::int64_t parts = 1, index = 0;
};

TimeCut time_cut(int dim, const compiler::Operand& operand, const Moment& moment) {
  TimeCut cut;
  for (std::size_t axis = 0; axis < operand.sharding.size(); ++axis) {
    const AxisSharding& s = operand.sharding[axis];
    if (!moment.mesh.axes[axis].time || s.spread != Spread::split || s.dim != dim) continue;
    cut.parts *= moment.mesh.axes[axis].size;
    cut.index = cut.index * moment.mesh.axes[axis].size + moment.position.coordinates[axis];
  }
  return cut;
}

/// Bytes of one row along dimension 0.
std::int64_t row_bytes(const TensorView& view) {
  return view.strides[0] * program::size_of(view.dtype);
}

std::vector<std::int64_t> true_extents(const compiler::Operand& operand, const Moment& moment,
                                       Share share) {
  std::vector<std::int64_t> extents = program::bounds(operand.type.shape);
  const int dynamic = program::dynamic_dim(operand.type.shape);
  if (dynamic >= 0) {
    extents[at(dynamic)] =
        share_of(moment.batch_size, dynamic, operand.sharding, moment.mesh, moment.position, share)
            .size();
  }
  if (share == Share::device && operand.per_micro && dynamic != 0 && !extents.empty()) {
    extents[0] *= time_cut(0, operand, moment).parts;
  }
  return extents;
}

}  // namespace

Position position_of(const program::Mesh& mesh, std::int64_t rank) {
  Position position;
  position.coordinates.resize(mesh.axes.size());
  for (std::size_t axis = mesh.axes.size(); axis-- > 0;) {
    if (mesh.axes[axis].time) continue;
    position.coordinates[axis] = rank % mesh.axes[axis].size;
    rank /= mesh.axes[axis].size;
  }
  PENSTOCK_CHECK(rank == 0, "the rank is outside of the mesh");
  return position;
}

Position at_micro(const program::Mesh& mesh, Position position, std::int64_t micro) {
  for (std::size_t axis = mesh.axes.size(); axis-- > 0;) {
    if (!mesh.axes[axis].time) continue;
    position.coordinates[axis] = micro % mesh.axes[axis].size;
    micro /= mesh.axes[axis].size;
  }
  return position;
}

std::int64_t micro_count(const program::Mesh& mesh) {
  std::int64_t count = 1;
  for (const program::MeshAxis& axis : mesh.axes) {
    if (axis.time) count *= axis.size;
  }
  return count;
}

Range share_of(std::int64_t n, int dim, const program::Sharding& sharding,
               const program::Mesh& mesh, const Position& position, Share share) {
  Range range{0, n};
  for (const bool time : {false, true}) {
    if (time && share == Share::device) break;
    for (std::size_t axis = 0; axis < sharding.size(); ++axis) {
      if (mesh.axes[axis].time != time) continue;
      if (sharding[axis].spread != Spread::split || sharding[axis].dim != dim) continue;
      const Range part =
          program::part_of(range.size(), position.coordinates[axis], mesh.axes[axis].size);
      range = {range.begin + part.begin, range.begin + part.end};
    }
  }
  return range;
}

TensorView dense_view(std::byte* data, program::DType dtype,
                      const std::vector<std::int64_t>& extents) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = static_cast<int>(extents.size());
  PENSTOCK_CHECK(view.rank <= TensorView::kMaxRank, "a tensor has too many dimensions");
  std::int64_t stride = 1;
  for (std::int64_t dim = view.rank - 1; dim >= 0; --dim) {
    view.extents[at(dim)] = extents[at(dim)];
    view.strides[at(dim)] = stride;
    stride *= extents[at(dim)];
  }
  return view;
}

TensorView view_of(const compiler::Operand& operand, const Moment& moment, std::byte* arena) {
  TensorView view = dense_view(arena + operand.offset, operand.type.dtype,
                               true_extents(operand, moment, Share::micro));
  if (!operand.per_micro || view.rank == 0) return view;
  if (program::dynamic_dim(operand.type.shape) == 0) {
    const auto share = [&](Share which) {
      return share_of(moment.batch_size, 0, operand.sharding, moment.mesh, moment.position, which)
          .begin;
    };
    view.data += (share(Share::micro) - share(Share::device)) * row_bytes(view);
  } else {
    view.data += time_cut(0, operand, moment).index * view.extents[0] * row_bytes(view);
  }
  return view;
}

TensorView broadcast_view(const TensorView& view, const compiler::Operand& operand,
                          const TensorView& result) {
  if (!operand.broadcast) return view;
  TensorView wide = view;
  wide.rank = result.rank;
  wide.extents = result.extents;
  wide.strides = {};
  for (std::size_t i = 0; i < operand.broadcast_dims.size(); ++i) {
    const std::int64_t dim = operand.broadcast_dims[i];
    PENSTOCK_CHECK(dim >= 0 && dim < result.rank, "a broadcast names a dimension of the result");
    wide.strides[at(dim)] = view.extents[i] == 1 ? 0 : view.strides[i];
  }
  return wide;
}

TensorView device_view(const compiler::Operand& operand, const Moment& moment, std::byte* arena) {
  const Share share = operand.per_micro ? Share::device : Share::micro;
  return dense_view(arena + operand.offset, operand.type.dtype,
                    true_extents(operand, moment, share));
}

}  // namespace penstock::runtime
