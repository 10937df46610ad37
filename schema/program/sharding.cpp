#include "schema/program/sharding.h"

#include "base/check.h"

namespace penstock::program {

std::int64_t Mesh::devices() const {
  std::int64_t n = 1;
  for (const MeshAxis& axis : axes)
    if (!axis.time) n *= axis.size;
  return n;
}

int Mesh::find(std::string_view name) const {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == name) return static_cast<int>(i);
  return -1;
}

std::string to_text(const Sharding& sharding, const Mesh& mesh) {
  PENSTOCK_CHECK(sharding.size() <= mesh.axes.size(), "a sharding has an axis the mesh lacks");
  std::string out = "@[";
  for (std::size_t i = 0; i < sharding.size(); ++i) {
    if (sharding[i].spread == Spread::replicated) continue;
    if (out.size() > 2) out += ", ";
    out += mesh.axes[i].name + ":";
    switch (sharding[i].spread) {
      case Spread::replicated:
        break;
      case Spread::split:
        out += "split(" + std::to_string(sharding[i].dim) + ")";
        break;
      case Spread::partial:
        out += "partial";
        break;
      case Spread::distinct:
        out += "distinct";
        break;
    }
  }
  return out + "]";
}

Range part_of(std::int64_t n, std::int64_t index, std::int64_t parts) {
  PENSTOCK_CHECK(parts > 0 && index >= 0 && index < parts && n >= 0,
                 "part " + std::to_string(index) + " of " + std::to_string(parts) + " of " +
                     std::to_string(n));
  return {n * index / parts, n * (index + 1) / parts};
}

}  // namespace penstock::program
