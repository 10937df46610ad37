#include "schema/program/sharding_rule.h"

#include <doctest/doctest.h>

#include "schema/program/op.h"

using namespace penstock::program;

TEST_CASE("a rule's words become factors in the order in which they appear") {
  const ShardingRule rule = ShardingRule::parse("m k, k n -> m n", Linearity::in_each);
  CHECK(rule.operands == std::vector<std::vector<int>>{{0, 1}, {1, 2}});
  CHECK(rule.results == std::vector<std::vector<int>>{{0, 2}});
  CHECK(rule.factor_count() == 3);
  CHECK(rule.in_results(0));
  CHECK_FALSE(rule.in_results(1));  // contracted
}

TEST_CASE("a dot is whole and an empty item is a scalar") {
  const ShardingRule rule = ShardingRule::parse("n . . c, -> n .");
  CHECK(rule.operands == std::vector<std::vector<int>>{{0, -1, -1, 1}, {}});
  CHECK(rule.results == std::vector<std::vector<int>>{{0, -1}});
}

TEST_CASE("a pointwise rule gives scalars no factor") {
  const std::vector<TensorType> types = {{DType::f32, {4, 5}}, {DType::f64, {}}};
  const ShardingRule rule = ShardingRule::pointwise(types, 2);
  CHECK(rule.operands == std::vector<std::vector<int>>{{0, 1}, {}});
  CHECK(rule.results == std::vector<std::vector<int>>{{0, 1}, {0, 1}});
}

namespace {

ShardingRule reshape_rule(Shape from, std::vector<std::int64_t> to) {
  const std::vector<TensorType> types = {{DType::f32, std::move(from)}};
  const Attributes attributes = {{"shape", std::move(to)}};
  return op_row(*find_op("reshape")).sharding({types, attributes});
}

}  // namespace

TEST_CASE("a reshape keeps the factors of leading dimensions and steps over sizes of one") {
  const ShardingRule flatten = reshape_rule({64, 7, 7, 32}, {64, 1568});
  CHECK(flatten.operands == std::vector<std::vector<int>>{{0, -1, -1, -1}});
  CHECK(flatten.results == std::vector<std::vector<int>>{{0, -1}});
  const ShardingRule unit = reshape_rule({6, 1, 5}, {1, 6, 5});
  CHECK(unit.operands == std::vector<std::vector<int>>{{0, -1, 1}});
  CHECK(unit.results == std::vector<std::vector<int>>{{-1, 0, 1}});
}
