#include <doctest/doctest.h>

#include "executor/compiler/bucket/bucket.h"
#include "executor/compiler/differentiate/differentiate.h"
#include "executor/compiler/fuse/fuse.h"
#include "executor/compiler/index.h"
#include "executor/compiler/partition/partition.h"
#include "executor/compiler/pipeline.h"
#include "executor/compiler/simplify/simplify.h"
#include "tests/unit/compiler/fake_target.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock;
using namespace penstock::compiler;

namespace {

ScheduledProgram scheduled(const program::Program& source, std::int64_t devices = 1,
                           std::int64_t micro = 1) {
  Differentiated both = differentiate(source, batch_plan(source, devices, micro)).value();
  both.program = simplify(std::move(both.program));
  const ShardedProgram sharded = bucket(partition(both.program, both.plan).value());
  return schedule(sharded, FakeTarget({})).value();
}

/// Bytes that the steps of an entry read and write; a broadcast operand counts once.
std::int64_t traffic(const Schedule& entry) {
  std::int64_t sum = 0;
  for (const Step& step : entry.steps)
    for (const auto* ids : {&step.inputs, &step.outputs})
      for (const ValueId id : *ids) sum += byte_count(entry.value(entry.root(id)).local);
  return sum;
}

/// The labels of the steps, in order.
std::vector<std::string> labels(const ScheduledProgram& program) {
  std::vector<std::string> out;
  for (const Step& step : program.entries.at(0).steps) out.push_back(step.label);
  return out;
}

ScheduledProgram fused_main(std::string_view lines) {
  ScheduledProgram out = fuse(scheduled(with_main("", lines)));
  REQUIRE(verify(out).ok());
  return out;
}

}  // namespace

TEST_CASE("fusing moves fewer bytes, and never more, in every entry of real programs") {
  for (const auto& source : {sample_mlp("adamw"), sample_mlp("sgd"), sample_convnet()})
    for (const std::int64_t micro : {1, 4}) {
      const ScheduledProgram before = scheduled(source, 2, micro);
      const ScheduledProgram after = fuse(before);
      REQUIRE(verify(after).ok());
      std::int64_t less = 0;
      for (std::size_t e = 0; e < before.entries.size(); ++e) {
        CHECK(traffic(after.entries[e]) <= traffic(before.entries[e]));
        less += traffic(before.entries[e]) - traffic(after.entries[e]);
      }
      CHECK(less > 0);
    }
}

TEST_CASE("a chain waits for an operand that is made later, if nobody needs its result before") {
  CHECK(labels(fused_main("  %0: f32[4,4] = input x\n"
                          "  %1: f32[4,4] = exp(%0)\n"
                          "  %2: f32[4,4] = matmul(%0, %0) "
                          "{transpose_lhs=false, transpose_rhs=false}\n"
                          "  %3: f32[4,4] = add(%1, %2)\n"
                          "  output y = %3\n")) ==
        std::vector<std::string>{"matmul %2", "exp %1 + add %3"});
  // The product reads the exponential: it must stay in front.
  CHECK(labels(fused_main("  %0: f32[4,4] = input x\n"
                          "  %1: f32[4,4] = exp(%0)\n"
                          "  %2: f32[4,4] = matmul(%1, %0) "
                          "{transpose_lhs=false, transpose_rhs=false}\n"
                          "  %3: f32[4,4] = add(%1, %2)\n"
                          "  output y = %3\n")) ==
        std::vector<std::string>{"exp %1", "matmul %2", "add %3"});
}

TEST_CASE("both operands of a map can be made in its pass") {
  CHECK(labels(fused_main("  %0: f32[4] = input x\n"
                          "  %1: f32[4] = exp(%0)\n"
                          "  %2: f32[4] = tanh(%0)\n"
                          "  %3: f32[4] = multiply(%1, %2)\n"
                          "  output y = %3\n")) ==
        std::vector<std::string>{"exp %1 + tanh %2 + multiply %3"});
}

TEST_CASE("what is read as another shape or repeated is made before the pass that reads it") {
  // A reshape is a view of all of the exponential.
  CHECK(labels(fused_main("  %0: f32[2,3] = input x\n"
                          "  %1: f32[2,3] = exp(%0)\n"
                          "  %2: f32[3,2] = reshape(%1) {shape=[3,2]}\n"
                          "  %3: f32[3,2] = tanh(%2)\n"
                          "  output y = %3\n"))
            .size() == 2);
  // A row that is repeated is another shape.
  CHECK(labels(fused_main("  %0: f32[3] = input x\n"
                          "  %1: f32[3] = exp(%0)\n"
                          "  %2: f32[2,3] = broadcast(%1) {dims=[1], dynamic_dim=-1, shape=[2,3]}\n"
                          "  %3: f32[2,3] = tanh(%2)\n"
                          "  output y = %3\n"))
            .size() == 2);
}

TEST_CASE("a chain longer than one call may hold is several") {
  std::string lines = "  %0: f32[4] = input x\n";
  const int maps = static_cast<int>(kFusedMapsMax) + 10;
  for (int i = 1; i <= maps; ++i)
    lines += "  %" + std::to_string(i) + ": f32[4] = " + (i % 2 == 0 ? "exp" : "tanh") + "(%" +
             std::to_string(i - 1) + ")\n";
  lines += "  output y = %" + std::to_string(maps) + "\n";
  const ScheduledProgram out = fused_main(lines);
  REQUIRE(out.entries[0].steps.size() == 2);
  CHECK(std::get<FusedCall>(out.entries[0].steps[0].call).maps.size() == kFusedMapsMax);
  CHECK(std::get<FusedCall>(out.entries[0].steps[1].call).maps.size() == 10);
}
