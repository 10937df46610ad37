#include "executor/compiler/local_type.h"

#include "base/check.h"

namespace penstock::compiler {
namespace {

using program::Spread;

program::TensorType cut(const program::TensorType& global, const program::Sharding& sharding,
                        const program::Mesh& mesh, const bool over_time) {
  program::TensorType out = global;
  for (std::size_t d = 0; d < out.shape.size(); ++d)
    for (const int a : axes_of_dim(sharding, mesh, static_cast<int>(d))) {
      const program::MeshAxis& axis = mesh.axes[static_cast<std::size_t>(a)];
      if (axis.time && !over_time) continue;
      program::Dim& dim = out.shape[d];
      PENSTOCK_CHECK(dim.dynamic || dim.bound % axis.size == 0,
                     to_text(global) + " cannot be cut over axis " + axis.name);
      dim.bound = (dim.bound + axis.size - 1) / axis.size;
    }
  return out;
}

}  // namespace

std::vector<int> axes_of_dim(const program::Sharding& sharding, const program::Mesh& mesh,
                             int dim) {
  std::vector<int> out;
  for (const bool time : {false, true})
    for (std::size_t a = 0; a < sharding.size(); ++a)
      if (mesh.axes[a].time == time && sharding[a].spread == Spread::split &&
          sharding[a].dim == dim)
        out.push_back(static_cast<int>(a));
  return out;
}

program::TensorType local_type(const program::TensorType& global, const program::Sharding& sharding,
                               const program::Mesh& mesh) {
  return cut(global, sharding, mesh, true);
}

program::TensorType device_type(const program::TensorType& global,
                                const program::Sharding& sharding, const program::Mesh& mesh) {
  return cut(global, sharding, mesh, false);
}

bool is_time_split(const program::Sharding& sharding, const program::Mesh& mesh) {
  const int time = time_axis(mesh);
  return time >= 0 && sharding[static_cast<std::size_t>(time)].spread == Spread::split;
}

int time_axis(const program::Mesh& mesh) {
  for (std::size_t a = 0; a < mesh.axes.size(); ++a)
    if (mesh.axes[a].time && mesh.axes[a].size > 1) return static_cast<int>(a);
  return -1;
}

}  // namespace penstock::compiler
