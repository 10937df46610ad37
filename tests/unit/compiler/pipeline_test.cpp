#include "executor/compiler/pipeline.h"

#include <doctest/doctest.h>

#include "executor/compiler/emit/emit.h"
#include "schema/program/text.h"
#include "tests/unit/compiler/fake_target.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

std::string outcome(const Result<Executable>& result) {
  return result.ok() ? "compiled" : result.error().message;
}

Result<Executable> compile_for(const program::Program& program, std::int64_t devices,
                               std::int64_t micro, FakeTarget::Options options,
                               const CompileOptions& how = {}) {
  return compile(program::print(program), batch_plan(program, devices, micro), FakeTarget(options),
                 how);
}

std::int64_t communications(const ExecutableEntry& entry) {
  std::int64_t out = 0;
  for (const Segment& segment : entry.segments)
    for (const Instruction& instruction : segment.instructions)
      out += instruction.stream == Stream::communicate ? 1 : 0;
  return out;
}

}  // namespace

TEST_CASE("an MLP and a convnet compile for one to four devices, micro-batches or not") {
  for (const program::Program& program : {sample_mlp("adamw"), sample_mlp("sgd"), sample_convnet()})
    for (std::int64_t devices = 1; devices <= 4; ++devices)
      for (const std::int64_t micro : {1, 3})
        for (const bool claims : {false, true}) {
          CAPTURE(devices);
          CAPTURE(micro);
          CHECK(outcome(compile_for(program, devices, micro, {.claims = claims})) == "compiled");
        }
}

TEST_CASE("compiling twice gives the same text") {
  const program::Program program = sample_convnet();
  const auto text = [&] { return print(compile_for(program, 3, 2, {}).value()); };
  CHECK(text() == text());
}

TEST_CASE("one device communicates nothing, two exchange one bucket of gradients and the loss") {
  const auto alone = compile_for(sample_mlp("adamw"), 1, 1, {.claims = true}).value();
  CHECK(communications(*alone.find_entry("step")) == 0);
  // 212 parameters are under 1 KiB: loss and gradients fit the quarter MiB of the first bucket.
  const auto both = compile_for(sample_mlp("adamw"), 2, 1, {.claims = true}).value();
  CHECK(communications(*both.find_entry("step")) == 1);
  CHECK(communications(*both.find_entry("update")) == 0);
}

TEST_CASE("micro-batches are accumulated before they are communicated once") {
  const auto executable = compile_for(sample_mlp("sgd"), 2, 4, {.claims = true}).value();
  const ExecutableEntry& step = *executable.find_entry("step");
  REQUIRE(step.segments.size() == 3);
  CHECK(step.segments[1].when == Segment::When::each_micro);
  for (const Instruction& instruction : step.segments[1].instructions)
    CHECK(instruction.stream == Stream::compute);
  CHECK(communications(step) == 1);
}

TEST_CASE("stages report in order with their numbers, and only three can be left out") {
  std::vector<std::string> seen;
  CompileOptions options;
  options.off = {"simplify", "bucket"};
  options.dump = true;
  options.report = [&](const StageReport& report) {
    seen.push_back(std::to_string(report.number) + " " + std::string(report.stage) +
                   (report.skipped ? " skipped" : ""));
    CHECK_FALSE(report.text.empty());
  };
  REQUIRE(outcome(compile_for(sample_mlp("sgd"), 2, 2, {}, options)) == "compiled");
  CHECK(seen == std::vector<std::string>{"1 decode", "2 simplify skipped", "3 differentiate",
                                         "4 simplify skipped", "5 precision", "6 partition",
                                         "7 bucket skipped", "8 schedule", "9 fuse", "10 place",
                                         "11 emit"});
  options.off = {"place"};
  CHECK(outcome(compile_for(sample_mlp("sgd"), 2, 2, {}, options)) ==
        "stage 'place' cannot be switched off; only simplify, bucket and fuse can");
}

TEST_CASE("the first failing stage is named") {
  CHECK(compile("nonsense", {}, FakeTarget({}), {}).error().message.rfind("decode: ", 0) == 0);
}

TEST_CASE("a program that does not fit names both sizes and the largest values") {
  const auto result = compile_for(sample_mlp("adamw"), 1, 1, {.memory_bytes = 4096});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::resource_exhausted);
  CHECK(result.error().message.find("on each device, which has") != std::string::npos);
}
