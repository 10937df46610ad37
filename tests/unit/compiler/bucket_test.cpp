#include "executor/compiler/bucket/bucket.h"

#include <doctest/doctest.h>

#include "executor/compiler/partition/partition.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

constexpr std::string_view kPlan =
    "mesh data=2\nbucket_bytes 4096\nspread input main x @[data:split(0)]\n";

/// Bucket of each all_reduce, in order.
std::vector<int> buckets(const ShardedProgram& program) {
  std::vector<int> out;
  for (const ShardedNode& node : program.entries[0].nodes)
    if (node.collective) out.push_back(node.collective->bucket);
  return out;
}

}  // namespace

TEST_CASE("a sum that depends on another one is not in its bucket") {
  const program::Program program =
      with_main("",
                "  %0: f32[<=64,10] = input x\n  %1: f32[10] = reduce_sum(%0) {dims=[0]}\n"
                "  %2: f32[10] = sqrt(%1)\n"
                "  %3: f32[<=64,10] = broadcast(%2) {dims=[1], dynamic_dim=0, shape=[64,10]}\n"
                "  %4: f32[<=64,10] = subtract(%0, %3)\n  %5: f32[10] = reduce_sum(%4) {dims=[0]}\n"
                "  output a = %1\n  output b = %5\n");
  const ShardedProgram out = bucket(partition(program, plan_of(kPlan)).value());
  CHECK(verify(out).ok());
  CHECK(buckets(out) == std::vector<int>{0, 1});
}

TEST_CASE("what waits for an open bucket does not hold up the rest") {
  const program::Program program =
      with_main("",
                "  %0: f32[<=64,10] = input x\n  %1: f32[10] = reduce_sum(%0) {dims=[0]}\n"
                "  %2: f32[10] = sqrt(%1)\n  %3: f32[<=64,10] = exp(%0)\n"
                "  %4: f32[10] = reduce_sum(%3) {dims=[0]}\n  output a = %2\n  output b = %4\n");
  const ShardedProgram out = bucket(partition(program, plan_of(kPlan)).value());
  CHECK(verify(out).ok());
  CHECK(buckets(out) == std::vector<int>{0, 0});
  CHECK_FALSE(out.entries[0].nodes.back().collective.has_value());  // the square root comes last
}

TEST_CASE("the first bucket is a quarter of the others") {
  // Sums of 40 bytes take 64 with their alignment: two fit 128 bytes, eight fit 512.
  std::string lines = "  %0: f32[<=64,10] = input x\n";
  std::string outputs;
  for (int i = 0; i < 11; ++i) {
    const std::string from = "%" + std::to_string(2 * i), mid = "%" + std::to_string(2 * i + 1),
                      sum = "%" + std::to_string(2 * i + 2);
    lines += "  " + mid + ": f32[<=64,10] = exp(" +
             (i == 0 ? "%0" : "%" + std::to_string(2 * i - 1)) + ")\n  " + sum +
             ": f32[10] = reduce_sum(" + mid + ") {dims=[0]}\n";
    outputs += "  output y" + std::to_string(i) + " = " + sum + "\n";
  }
  const program::Program program = with_main("", lines + outputs);
  const ShardedProgram out = bucket(
      partition(program,
                plan_of("mesh data=2\nbucket_bytes 512\nspread input main x @[data:split(0)]\n"))
          .value());
  CHECK(buckets(out) == std::vector<int>{0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2});
}

TEST_CASE("sums of different element types travel apart") {
  const program::Program program =
      with_main("",
                "  %0: f32[<=64,10] = input x\n  %1: f64[<=64,10] = cast(%0) {dtype=f64}\n"
                "  %2: f32[10] = reduce_sum(%0) {dims=[0]}\n"
                "  %3: f64[10] = reduce_sum(%1) {dims=[0]}\n  output a = %2\n  output b = %3\n");
  const ShardedProgram out = bucket(partition(program, plan_of(kPlan)).value());
  CHECK(buckets(out) == std::vector<int>{0, 1});
}
