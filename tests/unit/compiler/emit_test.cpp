#include "executor/compiler/emit/emit.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "executor/compiler/bucket/bucket.h"
#include "executor/compiler/partition/partition.h"
#include "executor/compiler/pipeline.h"
#include "executor/compiler/place/place.h"
#include "schema/program/text.h"
#include "tests/unit/compiler/fake_target.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

Executable step_on_two() {
  program::Program program = sample_mlp("adamw");
  program::Plan plan = batch_plan(program, 2, 1);
  plan.bucket_bytes = 256;
  return compile(program::print(program), plan, FakeTarget({.claims = true}), {}).value();
}

std::vector<Instruction>& last_segment(Executable& executable, std::string_view entry) {
  for (ExecutableEntry& e : executable.entries)
    if (e.name == entry) return e.segments.back().instructions;
  FAIL("no such entry");
  return executable.entries[0].segments[0].instructions;
}

std::size_t first_of(const std::vector<Instruction>& list, std::string_view label) {
  return static_cast<std::size_t>(
      std::find_if(list.begin(), list.end(),
                   [&](const Instruction& i) { return i.label.rfind(label, 0) == 0; }) -
      list.begin());
}

}  // namespace

TEST_CASE("communication starts while backward still has work, and is waited for behind it") {
  Executable executable = step_on_two();
  const std::vector<Instruction>& list = last_segment(executable, "step");
  std::size_t last_product = 0, first_wait = list.size(), first_start = list.size();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].label.rfind("matmul", 0) == 0) last_product = i;
    if (list[i].stream == Stream::communicate) first_start = std::min(first_start, i);
    if (list[i].stream == Stream::compute && !list[i].waits.empty())
      first_wait = std::min(first_wait, i);
  }
  CHECK(first_start < last_product);
  CHECK(last_product < first_wait);
  CHECK(first_of(list, "adamw") < list.size());
}

TEST_CASE("the replay finds a missing wait") {
  Executable executable = step_on_two();
  REQUIRE(verify(executable).ok());
  for (Instruction& instruction : last_segment(executable, "step"))
    if (instruction.stream == Stream::compute) instruction.waits.clear();
  const Status status = verify(executable);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("being communicated") != std::string::npos);
}

TEST_CASE("the replay finds an instruction before the one that makes its operand") {
  Executable executable = step_on_two();
  std::vector<Instruction>& list = last_segment(executable, "evaluate");
  REQUIRE(list.size() >= 2);
  std::swap(list[0], list[1]);
  CHECK_FALSE(verify(executable).ok());
}

TEST_CASE("the replay finds a communication that starts before its operand is made") {
  Executable executable = step_on_two();
  for (Instruction& instruction : last_segment(executable, "step"))
    if (instruction.stream == Stream::communicate) instruction.waits.clear();
  CHECK_FALSE(verify(executable).ok());
}
