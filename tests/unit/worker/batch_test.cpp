#include "executor/worker/batch.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "executor/worker/slices.h"

using namespace penstock;
using namespace penstock::executor;
using program::DType;

namespace {

program::TensorType type(DType dtype, program::Shape shape) {
  return {dtype, std::move(shape)};
}

compiler::ExecutableEntry entry() {
  compiler::ExecutableEntry made;
  made.name = "main";
  made.inputs.push_back({"x", type(DType::f32, {program::batch(8), 3}), {}});
  made.inputs.push_back({"y", type(DType::i32, {program::batch(8)}), {}});
  return made;
}

const std::array<std::byte, 1024> kBytes{};

GivenTensor given(std::string name, DType dtype, std::int64_t rows, std::int64_t columns) {
  program::Shape shape{rows};
  if (columns > 0) shape.push_back(columns);
  auto made = type(dtype, std::move(shape));
  const auto size = static_cast<std::size_t>(program::byte_count(made));
  return {std::move(name), std::move(made), std::span(kBytes).first(size)};
}

GivenBatch batch(std::int64_t rows) {
  return {rows, {given("y", DType::i32, rows, 0), given("x", DType::f32, rows, 3)}};
}

std::string refusal(const GivenBatch& batch) {
  const auto checked = check_batch(entry(), batch);
  REQUIRE_FALSE(checked.ok());
  CHECK(checked.error().code == ErrorCode::invalid_argument);
  return checked.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a right batch comes back in the order of the entry's inputs") {
  const auto checked = check_batch(entry(), batch(5));
  REQUIRE(checked.ok());
  CHECK(checked->at(0).name == "x");
  CHECK(checked->at(1).name == "y");
}

TEST_CASE("a wrong batch is refused with what came and what is needed") {
  CHECK(has(refusal(batch(0)), "0 rows; give at least one"));
  CHECK(has(refusal(batch(9)), "9 rows, but at most 8"));

  auto missing = batch(5);
  missing.inputs.pop_back();
  CHECK(has(refusal(missing), "input x is missing; it takes: x, y"));

  auto more = batch(5);
  more.inputs.push_back(given("z", DType::f32, 5, 0));
  CHECK(has(refusal(more), "no input 'z'"));

  auto twice = batch(5);
  twice.inputs.push_back(twice.inputs[0]);
  CHECK(has(refusal(twice), "input y came more than once"));

  auto rows = batch(5);
  rows.inputs[0] = given("y", DType::i32, 4, 0);
  CHECK(has(refusal(rows), "input y: got i32[4], need i32[5]"));

  auto dtype = batch(5);
  dtype.inputs[0] = given("y", DType::i64, 5, 0);
  CHECK(has(refusal(dtype), "got i64[5], need i32[5]"));

  auto bytes = batch(5);
  bytes.inputs[0].bytes = bytes.inputs[0].bytes.first(19);
  CHECK(has(refusal(bytes), "19 bytes came for i32[5], which has 20"));
}

TEST_CASE("an entry without a batch dimension takes no size") {
  compiler::ExecutableEntry update;
  update.name = "update";
  CHECK(check_batch(update, {}).ok());
  const auto sized = check_batch(update, {4, {}});
  REQUIRE_FALSE(sized.ok());
  CHECK(has(sized.error().message, "no batch dimension"));
}

TEST_CASE("rows are cut as evenly as they go, and pasting the slices gives the whole again") {
  program::Mesh mesh;
  mesh.axes = {{"data", 3, false}, {"micro", 2, true}};
  const program::AxisSharding rows{program::Spread::split, 0};
  const auto whole = type(DType::i32, {7, 2});
  std::array<std::int32_t, 14> values{};
  for (int i = 0; i < 14; ++i) values[static_cast<std::size_t>(i)] = i;
  const auto bytes = std::as_bytes(std::span(values));
  std::array<std::int32_t, 14> again{};
  // 7 * i / 3: the parts begin at rows 0, 2 and 4.
  const program::Range expected[] = {{0, 2}, {2, 4}, {4, 7}};
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    const auto slice = slice_of(mesh, {rows, rows}, whole, rank);
    REQUIRE(slice.ok());
    CHECK(slice->dim == 0);
    CHECK(slice->range == expected[rank]);
    const auto piece = in_one_piece(bytes, whole, *slice);
    REQUIRE(piece.has_value());
    CHECK(piece->data() == bytes.data() + expected[rank].begin * 8);
    paste(*piece, whole, *slice, std::as_writable_bytes(std::span(again)));
  }
  CHECK(again == values);
}

TEST_CASE("columns are cut by copying") {
  program::Mesh mesh;
  mesh.axes = {{"data", 2, false}};
  const auto whole = type(DType::i32, {2, 3});
  const std::array<std::int32_t, 6> values{0, 1, 2, 3, 4, 5};
  const auto slice = slice_of(mesh, {{program::Spread::split, 1}}, whole, 1);
  REQUIRE(slice.ok());
  CHECK_FALSE(in_one_piece(std::as_bytes(std::span(values)), whole, *slice).has_value());
  std::array<std::int32_t, 4> part{};
  REQUIRE(slice_bytes(whole, *slice) == sizeof part);
  cut(std::as_bytes(std::span(values)), whole, *slice, std::as_writable_bytes(std::span(part)));
  CHECK(part == std::array<std::int32_t, 4>{1, 2, 4, 5});
}
