#include "executor/compiler/partition/partition.h"

#include <doctest/doctest.h>

#include "executor/compiler/local_type.h"
#include "schema/program/op.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

std::string refusal(const program::Program& program, std::string_view plan) {
  const auto result = partition(program, plan_of(plan));
  return result.ok() ? "accepted" : result.error().message;
}

double flops(const ShardedEntry& entry, const ShardedNode& node) {
  program::Types types;
  for (const ValueId id : node.inputs) types.push_back(entry.value(id).local);
  return program::op_row(node.op).cost({types, node.attributes}).flop;
}

constexpr std::string_view kInput = "  %0: f32[<=64,10] = input x\n";

}  // namespace

TEST_CASE("device cuts come before time cuts, and bounds round up at each") {
  const program::Mesh mesh{{{"micro", 4, true}, {"data", 3, false}}};
  const program::AxisSharding cut{program::Spread::split, 0};
  const program::TensorType global{program::DType::f32, {program::batch(64), 10}};
  // ceil(64 / 3) = 22, ceil(22 / 4) = 6
  CHECK(local_type(global, {cut, cut}, mesh).shape[0] == program::batch(6));
  CHECK(device_type(global, {cut, cut}, mesh).shape[0] == program::batch(22));
}

TEST_CASE("the work of all devices together is the work of one") {
  const program::Program program = with_main(
      "variable w: f32[10,6] constant(0.0)\n",
      std::string(kInput) +
          "  %1: f32[10,6] = read w\n"
          "  %2: f32[<=64,6] = matmul(%0, %1) {transpose_lhs=false, transpose_rhs=false}\n"
          "  %3: f32[<=64,6] = relu(%2)\n"
          "  %4: f32[<=64,6] = multiply(%3, %3)\n  output y = %4\n");
  const auto total = [&](const std::string& data, double ranks) {
    const auto sharded = partition(program, plan_of("mesh data=" + data +
                                                    "\nspread input main x @[data:split(0)]\n"))
                             .value();
    double sum = 0;
    for (const ShardedNode& node : sharded.entries[0].nodes)
      if (!node.collective) sum += ranks * flops(sharded.entries[0], node);
    return sum;
  };
  // The product alone is 2 * 64 * 10 * 6 FLOP.
  CHECK(total("1", 1) >= 7680);
  CHECK(total("4", 4) == total("1", 1));
}

TEST_CASE("a name that the program lacks is refused") {
  const program::Program program = with_main("", std::string(kInput) + "  output y = %0\n");
  CHECK(refusal(program, "mesh data=2\nspread input main z @[data:split(0)]\n") ==
        "plan, input z of entry main: the program has none of this name");
  CHECK(refusal(program, "mesh data=2\nspread variable w @[]\n") ==
        "plan, variable w: the program has none of this name");
}

TEST_CASE("a static dimension is cut evenly or not at all") {
  const program::Program program = with_main("", std::string(kInput) + "  output y = %0\n");
  CHECK(
      refusal(program, "mesh data=3\nspread input main x @[data:split(1)]\n") ==
      "plan, input x of entry main: dimension 1 of f32[<=64,10] is not divisible by 3; declare it "
      "dynamic or choose another axis size");
}

TEST_CASE("statistics of the whole batch and micro-batches exclude each other") {
  const program::Program program = with_main(
      "", std::string(kInput) +
              "  %1: f32[10] = reduce_sum(%0) {dims=[0]}\n"
              "  %2: f32[10] = sqrt(%1)\n"
              "  %3: f32[<=64,10] = broadcast(%2) {dims=[1], dynamic_dim=0, shape=[64,10]}\n"
              "  %4: f32[<=64,10] = subtract(%0, %3)\n  output y = %4\n");
  CHECK(refusal(program, "mesh data=2\nspread input main x @[data:split(0)]\n") == "accepted");
  CHECK(refusal(program, "mesh micro=2*\nspread input main x @[micro:split(0)]\n")
            .find("it needs the whole batch before any micro-batch can go on") !=
        std::string::npos);
}

TEST_CASE("a distinct variable stays each rank's own through element-wise ops only") {
  const std::string variable = "variable e: f32[4,4] constant(0.0)\n";
  const std::string plan = "mesh data=2\nspread variable e @[data:distinct]\n";
  CHECK(refusal(with_main(variable,
                          "  %0: f32[4,4] = read e\n  %1: f32[4,4] = exp(%0)\n"
                          "  write e = %1\n"),
                plan) == "accepted");
  CHECK(refusal(with_main(variable,
                          "  %0: f32[4,4] = read e\n"
                          "  %1: f32[4,4] = matmul(%0, %0) {transpose_lhs=false, "
                          "transpose_rhs=false}\n  write e = %1\n"),
                plan)
            .find("distinct over axis data") != std::string::npos);
  CHECK(refusal(with_main(variable, "  %0: f32[4,4] = read e\n  output y = %0\n"), plan)
            .find("distinct over axis data") != std::string::npos);
}

TEST_CASE("every layout of a sharded-state plan verifies") {
  const program::Program program = with_main(
      "variable w: f32[10,6] constant(0.0)\nvariable g: f32[10,6] constant(0.0)\n",
      std::string(kInput) +
          "  %1: f32[10,6] = read w\n"
          "  %2: f32[<=64,6] = matmul(%0, %1) {transpose_lhs=false, transpose_rhs=false}\n"
          "  %3: f32[10,6] = matmul(%0, %2) {transpose_lhs=true, transpose_rhs=false}\n"
          "  write g = %3\n");
  const auto sharded =
      partition(program, plan_of("mesh data=2\nspread input main x @[data:split(0)]\n"
                                 "spread variable w @[data:split(0)]\n"
                                 "spread variable g @[data:split(0)]\n"))
          .value();
  CHECK(verify(sharded).ok());
  // The gradient goes straight from a partial sum to the owner's slice.
  CHECK(print(sharded).find("reduce_scatter[data, dim 0]") != std::string::npos);
  CHECK(print(sharded).find("all_reduce") == std::string::npos);
}

TEST_CASE("the verifier sees a partial sum that meets a non-linear op") {
  const program::Program program = with_main("", std::string(kInput) +
                                                     "  %1: f32[10] = reduce_sum(%0) {dims=[0]}\n"
                                                     "  %2: f32[10] = exp(%1)\n  output y = %2\n");
  auto sharded =
      partition(program, plan_of("mesh data=2\nspread input main x @[data:split(0)]\n")).value();
  REQUIRE(verify(sharded).ok());
  ShardedEntry& entry = sharded.entries[0];
  REQUIRE(entry.nodes.size() == 3);
  entry.nodes[2].inputs[0] = entry.nodes[0].outputs[0];  // past the all_reduce
  CHECK_FALSE(verify(sharded).ok());
}
