#include "executor/runtime/extents.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "executor/runtime/initialize.h"
#include "executor/runtime/nearest.h"
#include "executor/runtime/trace.h"

using namespace penstock;
using namespace penstock::runtime;
using program::AxisSharding;
using program::Mesh;
using program::Range;
using program::Spread;

namespace {
const AxisSharding kSplit0 = {Spread::split, 0};
const AxisSharding kWhole = {};
const Mesh kMesh = {{{"data", 2, false}, {"micro", 3, true}}};

compiler::Operand rows_of_four(bool per_micro) {
  compiler::Operand operand;
  operand.offset = 64;
  operand.type = {program::DType::f32, {program::batch(2), 4}};
  operand.sharding = {kSplit0, kSplit0};
  operand.per_micro = per_micro;
  return operand;
}
}  // namespace

TEST_CASE("ranks count row-major over the axes that are not time") {
  const Mesh mesh = {{{"data", 2, false}, {"micro", 5, true}, {"tensor", 3, false}}};
  CHECK(position_of(mesh, 0).coordinates == std::vector<std::int64_t>{0, 0, 0});
  CHECK(position_of(mesh, 2).coordinates == std::vector<std::int64_t>{0, 0, 2});
  CHECK(position_of(mesh, 4).coordinates == std::vector<std::int64_t>{1, 0, 1});
  CHECK(at_micro(mesh, position_of(mesh, 4), 3).coordinates == std::vector<std::int64_t>{1, 3, 1});
  CHECK(micro_count(mesh) == 5);
}

// 7 rows over 2 devices: 0..3 and 3..7. The second device's 4 over 3 micro-batches:
// 4*0/3 .. 4*1/3 = 0..1, then 1..2, then 2..4; in global rows 3..4, 4..5, 5..7.
TEST_CASE("rows are divided over the devices first and then over time") {
  const program::Sharding sharding = {kSplit0, kSplit0};
  const auto share = [&](std::int64_t rank, std::int64_t micro, Share which) {
    return share_of(7, 0, sharding, kMesh, at_micro(kMesh, position_of(kMesh, rank), micro), which);
  };
  CHECK(share(0, 0, Share::device) == Range{0, 3});
  CHECK(share(1, 0, Share::device) == Range{3, 7});
  CHECK(share(1, 0, Share::micro) == Range{3, 4});
  CHECK(share(1, 1, Share::micro) == Range{4, 5});
  CHECK(share(1, 2, Share::micro) == Range{5, 7});
}

TEST_CASE("a time axis that stands before the devices in the mesh still divides last") {
  const Mesh mesh = {{{"micro", 3, true}, {"data", 2, false}}};
  const Position second = at_micro(mesh, position_of(mesh, 1), 2);
  CHECK(share_of(7, 0, {kSplit0, kSplit0}, mesh, second, Share::micro) == Range{5, 7});
}

TEST_CASE("a per-micro buffer is read at the rows of the current micro-batch") {
  std::byte arena[256] = {};
  const Position last = at_micro(kMesh, position_of(kMesh, 1), 2);
  const TensorView view = view_of(rows_of_four(true), {kMesh, last, 7}, arena);
  CHECK(view.extents[0] == 2);
  CHECK(view.data - arena == 64 + 2 * 4 * 4);  // behind the two rows of micro-batches 0 and 1
  const TensorView whole = device_view(rows_of_four(true), {kMesh, last, 7}, arena);
  CHECK(whole.extents[0] == 4);
  CHECK(whole.data - arena == 64);
}

TEST_CASE("a buffer of one micro-batch stays in its place") {
  std::byte arena[256] = {};
  const Position last = at_micro(kMesh, position_of(kMesh, 1), 2);
  const TensorView view = view_of(rows_of_four(false), {kMesh, last, 7}, arena);
  CHECK(view.extents[0] == 2);
  CHECK(view.data - arena == 64);
}

TEST_CASE("a static per-micro buffer moves by whole micro-batches") {
  std::byte arena[512] = {};
  compiler::Operand operand = rows_of_four(true);
  operand.type.shape[0] = 2;
  const Position last = at_micro(kMesh, position_of(kMesh, 1), 2);
  CHECK(view_of(operand, {kMesh, last, 0}, arena).data - arena == 64 + 2 * 32);
  CHECK(device_view(operand, {kMesh, last, 0}, arena).extents[0] == 6);
}

TEST_CASE("a folded broadcast has stride 0 where the operand has no dimension") {
  compiler::Operand bias;
  bias.type = {program::DType::f32, {4}};
  bias.sharding = {kWhole, kWhole};
  bias.broadcast = true;
  bias.broadcast_dims = {1};
  const TensorView result = dense_view(nullptr, program::DType::f32, {3, 4});
  const TensorView view =
      broadcast_view(dense_view(nullptr, program::DType::f32, {4}), bias, result);
  CHECK(view.rank == 2);
  CHECK(view.extents[0] == 3);
  CHECK(view.strides[0] == 0);
  CHECK(view.strides[1] == 1);
}

// The 64-bit test vectors of the FNV authors.
TEST_CASE("the stream of a variable is the FNV-1a hash of its name") {
  CHECK(draw_stream("") == 0xcbf29ce484222325ULL);
  CHECK(draw_stream("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(draw_stream("foobar") == 0x85944171f73967e8ULL);
}

TEST_CASE("a part of a variable starts with the values that the whole has there") {
  program::Variable w;
  w.name = "w";
  w.type = {program::DType::f64, {4, 6}};
  w.initializer = {program::Initializer::Kind::uniform, -1, 3};
  std::vector<double> whole(24), part(4);
  const auto bytes = [](std::vector<double>& v) {
    return std::as_writable_bytes(std::span<double>(v));
  };
  REQUIRE(initialize(w, 5, {{0, 4}, {0, 6}}, bytes(whole)).ok());
  REQUIRE(initialize(w, 5, {{2, 4}, {1, 3}}, bytes(part)).ok());
  CHECK(part == std::vector<double>{whole[13], whole[14], whole[19], whole[20]});
  CHECK(whole[14] == -1 + 4 * philox_unit(5, draw_stream("w"), 14));
  w.initializer = {program::Initializer::Kind::normal, 2, 0.5};
  REQUIRE(initialize(w, 5, {{2, 4}, {1, 3}}, bytes(part)).ok());
  CHECK(part[0] == 2 + 0.5 * philox_normal(5, draw_stream("w"), 13));
}

TEST_CASE("unknown names are answered with the nearest ones") {
  CHECK(nearest_names("fc1.wieght", {"fc2.bias", "fc1.bias", "fc1.weight", "x"}) ==
        "'fc1.weight', 'fc1.bias', 'fc2.bias'");
  CHECK(nearest_names("x", {}) == "none");
}

TEST_CASE("a stamp becomes one Chrome trace event") {
  compiler::Instruction instruction;
  instruction.label = "matmul \"%7\"";
  const Stamp stamp{&instruction, 2, Instant{1234567}, Instant{1240000}};
  CHECK(trace_event(stamp, 3) ==
        R"({"name":"matmul \"%7\"","ph":"X","ts":1234.567,"dur":5.433,"pid":3,"tid":0,)"
        R"("args":{"micro":2}})");
}
