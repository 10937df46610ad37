#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/program/program.h"
#include "schema/program/types.h"

namespace penstock::program {

/// What each device along one mesh axis holds of a value.
enum class Spread : std::uint8_t {
  replicated,  // all of it, the same everywhere
  split,       // a slice of one dimension
  partial,     // a summand: the value is the sum over the axis
  distinct,    // its own: never combined (error feedback)
};

struct AxisSharding {
  Spread spread = Spread::replicated;
  int dim = -1;  // split only
  bool operator==(const AxisSharding&) const = default;
};

/// One AxisSharding per mesh axis, in mesh order. Text: `@[data:split(0), micro:partial]`;
/// axes over which the value is replicated are left out: `@[]`.
using Sharding = std::vector<AxisSharding>;

/// A named axis of the mesh. A *time* axis (`micro`) has one device that runs `size` times.
struct MeshAxis {
  std::string name;
  std::int64_t size = 1;
  bool time = false;
  bool operator==(const MeshAxis&) const = default;
};

/// The leased devices along named axes; ranks count row-major over the axes that are not time.
struct Mesh {
  std::vector<MeshAxis> axes;

  std::int64_t devices() const;
  /// Index of the axis, or -1.
  int find(std::string_view name) const;
  bool operator==(const Mesh&) const = default;
};

std::string to_text(const Sharding& sharding, const Mesh& mesh);

/// How an input of an entry, or a variable, is to be spread; everything else follows from it.
struct Annotation {
  std::string entry;  // empty: a variable
  std::string name;
  Sharding sharding;
  bool operator==(const Annotation&) const = default;
};

/// How a program is spread over devices.
struct Plan {
  Mesh mesh;
  std::vector<Annotation> annotations;
  std::int64_t bucket_bytes = 1 << 20;  // gradient collectives are grouped up to this size
  bool operator==(const Plan&) const = default;
};

/// The half-open range of `n` things that part `index` of `parts` gets: n*i/P .. n*(i+1)/P.
/// Parts differ by at most one, and none is larger than ceil(n / parts).
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};
Range part_of(std::int64_t n, std::int64_t index, std::int64_t parts);

/// Text form of a plan, which is also its wire form; `parse_plan(print(p)) == p`.
///
///   penstock plan 1
///   mesh data=2 micro=4*
///   bucket_bytes 1048576
///   spread input main x @[data:split(0), micro:split(0)]
///   spread variable fc1.weight @[]
std::string print(const Plan& plan);
Result<Plan> parse_plan(std::string_view text);

}  // namespace penstock::program
