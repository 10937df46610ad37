#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "penstock/penstock.h"

using namespace penstock;

namespace {

struct Net {
  Program program;
  Value x = program.input("x", f32, {batch(4), 6});
  bool has(const std::string& part) const { return program.text().find(part) != std::string::npos; }
};

}  // namespace

TEST_CASE("parts of a dimension are taken from both ends") {
  Net net;
  CHECK(slice(net.x, -1, 1, 5, 2).shape() == Shape{batch(4), 2});
  CHECK(net.has("slice(%0) {dim=1, size=2, start=1, step=2}"));
  CHECK(slice(net.x, 1, 5, 0, -2).shape() == Shape{batch(4), 3});  // 5, 3, 1
  CHECK(slice(net.x, 1, 3, 3).shape() == Shape{batch(4), 0});
  CHECK(flip(net.x, 1).shape() == net.x.shape());
  CHECK(net.has("{dim=1, size=6, start=5, step=-1}"));
  CHECK_THROWS_WITH_AS(slice(net.x, 1, 0, 9), doctest::Contains("cannot take 9 elements"),
                       Exception);
  CHECK_THROWS_WITH_AS(slice(net.x, 0, 0, 2), doctest::Contains("is the batch"), Exception);
  CHECK_THROWS_WITH_AS(slice(net.x, 1, 4, 2), doctest::Contains("there is nothing"), Exception);
}

TEST_CASE("values are joined, stacked, split and rolled") {
  Net net;
  CHECK(concat({net.x, net.x, net.x}, 1).shape() == Shape{batch(4), 18});
  CHECK(stack({net.x, net.x}, 1).shape() == Shape{batch(4), 2, 6});
  CHECK(stack({net.x, net.x}, -1).shape() == Shape{batch(4), 6, 2});
  const auto halves = split(net.x, 2, 1);
  REQUIRE(halves.size() == 2);
  CHECK(halves[1].shape() == Shape{batch(4), 3});
  const auto parts = split(net.x, std::vector<std::int64_t>{1, 0, 5}, -1);
  REQUIRE(parts.size() == 3);
  CHECK(parts[1].shape() == Shape{batch(4), 0});
  CHECK(roll(net.x, -1, 1).shape() == net.x.shape());
  CHECK(net.has("{dim=1, size=5, start=1, step=1}"));  // what comes to the front
  CHECK(pad(net.x, 1, 1, 2, -1).shape() == Shape{batch(4), 9});
  CHECK(squeeze(expand_dim(net.x, 1), 1).shape() == net.x.shape());
  CHECK_THROWS_WITH_AS(split(net.x, 4, 1), doctest::Contains("4 parts do not divide 6"), Exception);
  CHECK_THROWS_WITH_AS(split(net.x, std::vector<std::int64_t>{1, 2}, 1),
                       doctest::Contains("sum to 3"), Exception);
  CHECK_THROWS_WITH_AS(squeeze(net.x, 1), doctest::Contains("not of size 1"), Exception);
}

TEST_CASE("what goes by indices") {
  Net net;
  const Value table = net.program.variable("table", f32, {9, 5}, init::zeros());
  const Value ids = net.program.input("ids", i32, {batch(4), 2});
  CHECK(embedding(table, ids).shape() == Shape{batch(4), 2, 5});
  CHECK(gather(net.x, ids, 1).shape() == Shape{batch(4), 2});
  const Value ones = net.program.input("u", f32, {batch(4), 2});
  CHECK(scatter(net.x, ids, ones, 1).shape() == net.x.shape());
  CHECK(scatter_add(net.x, ids, ones, 1).shape() == net.x.shape());
  const Sorted best = top_k(net.x, 3);
  CHECK(best.values.shape() == Shape{batch(4), 3});
  CHECK(best.indices.dtype() == i64);
  CHECK(net.has("sort(%0) {descending=true, dim=1}"));
  CHECK(sort(net.x).indices.shape() == net.x.shape());
  CHECK(cumulative_sum(net.x, -1, {.reverse = true}).shape() == net.x.shape());
  CHECK(iota(net.x, 6, f32).shape() == Shape{6});
  CHECK_THROWS_WITH_AS(gather(net.x, ids, 0), doctest::Contains("is the batch"), Exception);
}
