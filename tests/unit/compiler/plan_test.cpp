#include <doctest/doctest.h>

#include "schema/program/sharding.h"

using namespace penstock::program;

namespace {

std::string refusal(std::string_view text) {
  const auto plan = parse_plan(text);
  return plan.ok() ? "accepted" : plan.error().message;
}

}  // namespace

TEST_CASE("a plan reads back from its text") {
  Plan plan;
  plan.mesh.axes = {{"data", 2, false}, {"micro", 4, true}};
  plan.bucket_bytes = 1000;
  plan.annotations = {{"main", "x", {{Spread::split, 0}, {Spread::split, 0}}},
                      {"", "error/w", {{Spread::distinct, -1}, {}}},
                      {"", "w", {{}, {}}}};
  const std::string text = print(plan);
  CHECK(text ==
        "penstock plan 1\nmesh data=2 micro=4*\nbucket_bytes 1000\n"
        "spread input main x @[data:split(0), micro:split(0)]\n"
        "spread variable error/w @[data:distinct]\nspread variable w @[]\n");
  CHECK(parse_plan(text).value() == plan);
}

TEST_CASE("a broken plan names line and reason") {
  CHECK(refusal("") == "plan: the text is empty");
  CHECK(refusal("mesh data=2\n") == "plan, line 1: a plan starts with 'penstock plan 1'");
  CHECK(refusal("penstock plan 1\nmesh data=0\n") ==
        "plan, line 2: '0' is not a number from 1 to 65536");
  CHECK(refusal("penstock plan 1\nmesh data=2\nspread variable w @[pipe:split(0)]\n") ==
        "plan, line 3: axis 'pipe' is not in the mesh");
  CHECK(refusal("penstock plan 1\nmesh a=65536 b=65536\n") ==
        "plan, line 2: a mesh has at most 1048576 devices");
}

TEST_CASE("a plan of a newer format is told apart from a damaged one") {
  const auto plan = parse_plan("penstock plan 2\n");
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().code == penstock::ErrorCode::unimplemented);
}

TEST_CASE("ten rows over three parts fall 3, 3, 4") {
  CHECK(part_of(10, 0, 3) == Range{0, 3});
  CHECK(part_of(10, 1, 3) == Range{3, 6});
  CHECK(part_of(10, 2, 3) == Range{6, 10});
}

TEST_CASE("no part is larger than the rounded-up share, and together they are everything") {
  for (std::int64_t n = 0; n < 70; ++n)
    for (std::int64_t parts = 1; parts < 9; ++parts) {
      std::int64_t next = 0;
      for (std::int64_t i = 0; i < parts; ++i) {
        const Range range = part_of(n, i, parts);
        CHECK(range.begin == next);
        CHECK(range.size() <= (n + parts - 1) / parts);
        next = range.end;
      }
      CHECK(next == n);
    }
}
