#include "executor/compiler/simplify/simplify.h"

#include <doctest/doctest.h>

#include "schema/program/op.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

std::vector<std::string> ops(const program::Program& program) {
  std::vector<std::string> out;
  for (const program::Node& node : program.entries[0].nodes)
    out.emplace_back(program::op_row(node.op).name);
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("what no output and no write needs goes, but inputs stay") {
  const auto program = simplify(with_main("variable w: f32[2] constant(0.0)\n",
                                          "  %0: f32[2] = input x\n  %1: f32[2] = input y\n"
                                          "  %2: f32[2] = read w\n  %3: f32[2] = exp(%2)\n"
                                          "  %4: f32[2] = log(%0)\n  output z = %4\n"));
  CHECK(ops(program) == Names{"log"});
  CHECK(program.entries[0].values.size() == 3);
  CHECK(program.entries[0].values[1].name == "y");
}

TEST_CASE("equal nodes become one, also behind each other") {
  const auto program = simplify(with_main("",
                                          "  %0: f32[2] = input x\n  %1: f32[2] = exp(%0)\n"
                                          "  %2: f32[2] = exp(%0)\n  %3: f32[2] = log(%1)\n"
                                          "  %4: f32[2] = log(%2)\n  %5: f32[2] = add(%3, %4)\n"
                                          "  output z = %5\n"));
  CHECK(ops(program) == Names{"exp", "log", "add"});
}

TEST_CASE("nodes that differ in an attribute stay apart") {
  const auto program =
      simplify(with_main("",
                         "  %0: f32[2,2] = input x\n  %1: f32[2] = reduce_sum(%0) {dims=[0]}\n"
                         "  %2: f32[2] = reduce_sum(%0) {dims=[1]}\n"
                         "  %3: f32[2] = add(%1, %2)\n  output z = %3\n"));
  CHECK(ops(program).size() == 3);
}

TEST_CASE("adding a broadcast zero and multiplying by one change nothing and go") {
  const auto program = simplify(
      with_main("",
                "  %0: f32[2] = input x\n  %1: f32[] = constant() {dtype=f32, value=0.0}\n"
                "  %2: f32[2] = broadcast(%1) {dims=[], dynamic_dim=-1, shape=[2]}\n"
                "  %3: f32[2] = add(%2, %0)\n"
                "  %4: f32[] = constant() {dtype=f32, value=1.0}\n"
                "  %5: f32[2] = broadcast(%4) {dims=[], dynamic_dim=-1, shape=[2]}\n"
                "  %6: f32[2] = multiply(%3, %5)\n  %7: f32[2] = exp(%6)\n  output z = %7\n"));
  CHECK(ops(program) == Names{"exp"});
}

TEST_CASE("scalar arithmetic is folded with the rounding of its element type") {
  // In f32, 1 / 3 = 0.3333333432674407958984375 (IEEE 754).
  const auto program = simplify(with_main("",
                                          "  %0: f32[] = constant() {dtype=f32, value=1.0}\n"
                                          "  %1: f32[] = constant() {dtype=f32, value=3.0}\n"
                                          "  %2: f32[] = divide(%0, %1)\n  output z = %2\n"));
  REQUIRE(ops(program) == Names{"constant"});
  CHECK(program.entries[0].nodes[0].attributes.real("value") == 0.3333333432674407958984375);
}

TEST_CASE("a division by zero is left to run") {
  const auto program = simplify(with_main("",
                                          "  %0: f32[] = constant() {dtype=f32, value=1.0}\n"
                                          "  %1: f32[] = constant() {dtype=f32, value=0.0}\n"
                                          "  %2: f32[] = divide(%0, %1)\n  output z = %2\n"));
  CHECK(ops(program) == Names{"constant", "constant", "divide"});
}
