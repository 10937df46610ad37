// Each file of tests/golden/<stage>/ has a program, a plan, and text that the stage must print:
//
//   # what it shows
//   === program
//   === plan
//   === expect
//
// The expected text was written by hand from the rules, not copied from the output. There may be
// several pieces; each must be found in the stage's text as it stands.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "executor/compiler/bucket/bucket.h"
#include "executor/compiler/differentiate/differentiate.h"
#include "executor/compiler/emit/emit.h"
#include "executor/compiler/fuse/fuse.h"
#include "executor/compiler/partition/partition.h"
#include "executor/compiler/place/place.h"
#include "executor/compiler/simplify/simplify.h"
#include "schema/program/text.h"
#include "tests/unit/compiler/fake_target.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

struct Golden {
  std::string program, plan;
  std::vector<std::string> expected;
};

Golden read_golden(const std::filesystem::path& path) {
  std::ifstream file(path);
  Golden out;
  std::string line, section;
  while (std::getline(file, line)) {
    if (line.rfind("=== ", 0) == 0) {
      section = line.substr(4);
      if (section == "expect") out.expected.emplace_back();
      continue;
    }
    if (section == "program") out.program += line + "\n";
    if (section == "plan") out.plan += line + "\n";
    if (section == "expect") out.expected.back() += line + "\n";
  }
  return out;
}

std::string run_stage(const std::string& stage, const Golden& golden) {
  const program::Program source = program::parse(golden.program).value();
  if (stage == "simplify") return program::print(simplify(source));
  const program::Plan plan = program::parse_plan(golden.plan).value();
  Differentiated both = differentiate(source, plan).value();
  both.program = simplify(std::move(both.program));
  if (stage == "differentiate") return program::print(both.program);
  ShardedProgram sharded = partition(both.program, both.plan).value();
  REQUIRE(verify(sharded).ok());
  if (stage == "partition") return print(sharded);
  sharded = bucket(std::move(sharded));
  REQUIRE(verify(sharded).ok());
  if (stage == "bucket") return print(sharded);
  ScheduledProgram scheduled = schedule(sharded, FakeTarget({})).value();
  REQUIRE(verify(scheduled).ok());
  if (stage == "schedule") return print(scheduled);
  scheduled = fuse(std::move(scheduled));
  REQUIRE(verify(scheduled).ok());
  if (stage == "fuse") return print(scheduled);
  const PlacedProgram placed = place(scheduled, FakeTarget({})).value();
  REQUIRE(verify(placed).ok());
  if (stage == "place") return print(placed);
  const Executable executable = emit(placed);
  REQUIRE(verify(executable).ok());
  REQUIRE(stage == "emit");
  return print(executable);
}

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> out;
  for (const auto& file : std::filesystem::recursive_directory_iterator(PENSTOCK_TEST_GOLDEN))
    if (file.path().extension() == ".ir") out.push_back(file.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("every stage prints what was derived by hand") {
  const auto files = golden_files();
  REQUIRE(files.size() >= 10);
  for (const auto& path : files) {
    CAPTURE(path.string());
    const Golden golden = read_golden(path);
    REQUIRE_FALSE(golden.expected.empty());
    const std::string text = run_stage(path.parent_path().filename().string(), golden);
    for (const std::string& expected : golden.expected)
      CHECK_MESSAGE(text.find(expected) != std::string::npos, "expected:\n", expected, "in:\n",
                    text);
  }
}
