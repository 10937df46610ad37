#include "executor/compiler/place/place.h"

#include <doctest/doctest.h>

#include "executor/compiler/emit/emit.h"
#include "executor/compiler/partition/partition.h"
#include "executor/compiler/place/buffers.h"
#include "tests/unit/compiler/fake_target.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

PlacedProgram placed(const program::Program& program, std::string_view plan,
                     FakeTarget::Options options = {}) {
  const auto sharded = partition(program, plan_of(plan)).value();
  PlacedProgram out =
      place(schedule(sharded, FakeTarget(options)).value(), FakeTarget(options)).value();
  REQUIRE(verify(out).ok());
  const Status replay = verify(emit(out));
  REQUIRE_MESSAGE(replay.ok(), (replay.ok() ? "" : replay.error().message));
  return out;
}

std::vector<std::string> labels(const PlacedProgram& program) {
  std::vector<std::string> out;
  for (const PlacedStep& step : program.entries[0].steps) out.push_back(step.instruction.label);
  return out;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("buffers that live apart in time share their bytes") {
  std::vector<Buffer> buffers = {{0, 64, 0, 1, "a"}, {0, 128, 1, 2, "b"}, {0, 64, 2, 3, "c"}};
  CHECK(pack(buffers, 256) == 256 + 128 + 64);
  CHECK(buffers[1].offset == 256);  // the largest first
  CHECK(buffers[0].offset == 384);
  CHECK(buffers[2].offset == 384);
}

TEST_CASE("an optimizer writes parameter and state where they lie") {
  const program::Program program = with_main(
      "variable w: f32[8] constant(0.0)\nvariable m: f32[8] constant(0.0)\n"
      "variable rate: f64[] constant(0.1)\n",
      "  %0: f32[8] = input g\n  %1: f32[8] = read w\n  %2: f32[8] = read m\n"
      "  %3: f64[] = read rate\n"
      "  %4: f32[8], %5: f32[8] = sgd(%1, %0, %2, %3) {momentum=0.9, weight_decay=0.0}\n"
      "  write w = %4\n  write m = %5\n");
  const PlacedProgram claimed = placed(program, "mesh data=1\n", {.claims = true});
  REQUIRE(labels(claimed) == Labels{"sgd %4"});
  const Instruction& sgd = claimed.entries[0].steps[0].instruction;
  CHECK(sgd.outputs[0].offset == claimed.variables[0].operand.offset);
  CHECK(sgd.outputs[1].offset == claimed.variables[1].operand.offset);
  // Opened, it is maps, and no copy is needed either.
  for (const std::string& label : labels(placed(program, "mesh data=1\n")))
    CHECK(label.find("write of") == std::string::npos);
}

TEST_CASE("variables that take each other's old value are copied aside first") {
  const PlacedProgram program = placed(
      with_main("variable a: f32[8] constant(0.0)\nvariable b: f32[8] constant(1.0)\n",
                "  %0: f32[8] = read a\n  %1: f32[8] = read b\n  write a = %1\n  write b = %0\n"),
      "mesh data=1\n");
  CHECK(labels(program) == Labels{"copy of an old value", "copy of an old value",
                                  "write of variable 0", "write of variable 1"});
}

TEST_CASE("an output that is the old value of a written variable is saved before the write") {
  const PlacedProgram program =
      placed(with_main("variable a: f32[8] constant(0.0)\n",
                       "  %0: f32[8] = read a\n  %1: f32[8] = exp(%0)\n  output before = %0\n"
                       "  write a = %1\n"),
             "mesh data=1\n");
  CHECK(labels(program) == Labels{"exp %1", "copy of output before", "write of variable 0"});
}

TEST_CASE("a write of the variable's own value costs nothing") {
  const PlacedProgram program =
      placed(with_main("variable a: f32[8] constant(0.0)\n",
                       "  %0: f32[8] = read a\n  output y = %0\n  write a = %0\n"),
             "mesh data=1\n");
  CHECK(labels(program).empty());
}

TEST_CASE("a reshape is a view and a broadcast is folded into the maps that use it") {
  const PlacedProgram program =
      placed(with_main("variable b: f32[6] constant(0.0)\n",
                       "  %0: f32[2,2,3] = input x\n  %1: f32[2,6] = reshape(%0) {shape=[2,6]}\n"
                       "  %2: f32[6] = read b\n"
                       "  %3: f32[2,6] = broadcast(%2) {dims=[1], dynamic_dim=-1, shape=[2,6]}\n"
                       "  %4: f32[2,6] = add(%1, %3)\n  output y = %4\n"),
             "mesh data=1\n");
  REQUIRE(labels(program) == Labels{"add %4"});
  const Instruction& add = program.entries[0].steps[0].instruction;
  CHECK(add.inputs[0].offset == program.entries[0].inputs[0].operand.offset);
  CHECK(add.inputs[1].broadcast);
  CHECK(add.inputs[1].broadcast_dims == std::vector<std::int64_t>{1});
  CHECK(add.inputs[1].type.shape == program::Shape{6});
}

TEST_CASE("a map writes over an operand that nobody needs afterwards") {
  const PlacedProgram program =
      placed(with_main("",
                       "  %0: f32[8] = input x\n  %1: f32[8] = exp(%0)\n"
                       "  %2: f32[8] = log(%1)\n  %3: f32[8] = tanh(%2)\n  output y = %3\n"),
             "mesh data=1\n");
  const auto& steps = program.entries[0].steps;
  CHECK(steps[0].instruction.outputs[0].offset != steps[0].instruction.inputs[0].offset);
  CHECK(steps[1].instruction.outputs[0].offset == steps[1].instruction.inputs[0].offset);
  CHECK(steps[2].instruction.outputs[0].offset == steps[2].instruction.inputs[0].offset);
}

TEST_CASE("a value that is read again later is not written over") {
  const PlacedProgram program =
      placed(with_main("",
                       "  %0: f32[8] = input x\n  %1: f32[8] = exp(%0)\n"
                       "  %2: f32[8] = log(%1)\n  %3: f32[8] = add(%1, %2)\n  output y = %3\n"),
             "mesh data=1\n");
  const auto& log = program.entries[0].steps[1].instruction;
  CHECK(log.outputs[0].offset != log.inputs[0].offset);
}

TEST_CASE("an input of all micro-batches is one buffer, of which each uses its part") {
  const PlacedProgram program =
      placed(with_main("",
                       "  %0: f32[<=64,10] = input x\n  %1: f32[<=64,10] = exp(%0)\n"
                       "  %2: f32[<=64,10] = log(%1)\n  output y = %2\n"),
             "mesh data=2 micro=4*\nspread input main x @[data:split(0), micro:split(0)]\n");
  const PlacedEntry& entry = program.entries[0];
  CHECK(entry.inputs[0].operand.per_micro);
  CHECK(entry.outputs[0].operand.per_micro);
  CHECK(entry.inputs[0].operand.type.shape[0] == program::batch(8));
  CHECK(entry.buffers[0].bytes == 32 * 10 * 4);
  const Instruction& exp = entry.steps[0].instruction;
  CHECK(exp.inputs[0].per_micro);
  CHECK_FALSE(exp.outputs[0].per_micro);
}

TEST_CASE("the members of a bucket lie side by side and are summed in place") {
  const PlacedProgram program =
      placed(with_main("",
                       "  %0: f32[<=64,10] = input x\n  %1: f32[10] = reduce_sum(%0) {dims=[0]}\n"
                       "  %2: f32[] = reduce_sum(%0) {dims=[0,1]}\n  output a = %1\n"
                       "  output b = %2\n"),
             "mesh data=2\nspread input main x @[data:split(0)]\n");
  const auto& steps = program.entries[0].steps;
  REQUIRE(steps.size() == 4);
  const auto& call = std::get<CollectiveCall>(steps[2].instruction.call);
  CHECK(steps[2].instruction.inputs[0].offset == steps[2].instruction.outputs[0].offset);
  CHECK(call.members.size() == 1);  // not bucketed: each alone
  CHECK(call.elements == 10);
}

TEST_CASE("work space of a launch is its own while it runs") {
  const PlacedProgram program =
      placed(with_main("",
                       "  %0: f32[4,4] = input x\n"
                       "  %1: f32[4,4] = matmul(%0, %0) {transpose_lhs=false, "
                       "transpose_rhs=false}\n  output y = %1\n"),
             "mesh data=1\n", {.scratch_bytes = 100});
  const Instruction& product = program.entries[0].steps[0].instruction;
  CHECK(product.scratch_bytes == 128);
  CHECK(product.scratch_offset != product.inputs[0].offset);
  CHECK(product.scratch_offset != product.outputs[0].offset);
}

TEST_CASE("the verifier sees two buffers in one place") {
  PlacedProgram program = placed(with_main("",
                                           "  %0: f32[8] = input x\n  %1: f32[8] = exp(%0)\n"
                                           "  %2: f32[8] = add(%0, %1)\n  output y = %2\n"),
                                 "mesh data=1\n");
  REQUIRE(program.entries[0].buffers.size() >= 2);
  program.entries[0].buffers[1].offset = program.entries[0].buffers[0].offset;
  CHECK_FALSE(verify(program).ok());
}
