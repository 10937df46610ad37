#include <doctest/doctest.h>

#include "schema/program/builder.h"
#include "schema/program/verify.h"
#include "tests/conformance/example_case.h"

using namespace penstock;
using namespace penstock::conformance;

namespace {

std::vector<Array> reference_of(const ExampleCase& c) {
  return evaluate_reference(c.row->name, {c.operands, c.example.attributes, c.rows});
}

/// Whether some example's first operand has a number of elements that `wanted` accepts.
template <class Wanted>
bool has_size(const program::OpRow& row, Wanted wanted) {
  for (const program::Example& example : row.examples())
    if (wanted(program::element_count(example.operands[0].shape))) return true;
  return false;
}

bool has_odd_dimension(const program::OpRow& row) {
  for (const program::Example& example : row.examples())
    for (const program::Dim& dim : example.operands[0].shape)
      if (dim.bound > 1 && dim.bound % 2 == 1) return true;
  return false;
}

/// A program with one entry whose inputs are the example's operands.
struct OneEntry {
  program::Program program;
  std::vector<program::ValueId> inputs;
  explicit OneEntry(const ExampleCase& c) {
    program.entries.push_back({"main", {}, {}, {}, {}});
    program::Builder builder(program, 0);
    for (std::size_t i = 0; i < c.example.operands.size(); ++i)
      inputs.push_back(builder.try_input("x" + std::to_string(i), c.example.operands[i]).value());
  }
};

}  // namespace

TEST_CASE("every op of the list has a reference and examples") {
  for (const program::OpRow& row : program::op_table()) {
    CAPTURE(row.name);
    CHECK(static_cast<bool>(find_reference(row.name)));
    CHECK_FALSE(row.examples().empty());
    CHECK_FALSE(row.summary.empty());
  }
}

TEST_CASE("every op is tried on no element, one, odd sizes and thousands") {
  for (const program::OpRow& row : program::op_table()) {
    if (row.arity == 0) continue;
    CAPTURE(row.name);
    CHECK(has_size(row, [](std::int64_t n) { return n == 0; }));
    CHECK(has_size(row, [](std::int64_t n) { return n == 1; }));
    CHECK(has_odd_dimension(row));
    CHECK(has_size(row, [](std::int64_t n) { return n > 4000; }));
  }
}

TEST_CASE("every differentiable op has an example whose gradient is checked") {
  for (const program::OpRow& row : program::op_table()) {
    if (!row.differentiable()) continue;
    CAPTURE(row.name);
    int checked = 0;
    for (const program::Example& example : row.examples())
      if (example.check_gradient && example.operands.back().dtype != program::DType::f32 &&
          program::element_count(example.operands[0].shape) > 1)
        ++checked;
    CHECK(checked > 0);
  }
}

TEST_CASE("inference says what the reference computes") {
  for (const ExampleCase& c : example_cases()) {
    CAPTURE(c.text());
    const std::vector<Array> results = reference_of(c);
    REQUIRE(results.size() == c.declared_results.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      CHECK(results[i].type == with_rows(c.declared_results[i], c.rows));
  }
}

TEST_CASE("a region's expansion computes what the region means") {
  for (const ExampleCase& c : example_cases()) {
    if (!c.row->is_region()) continue;
    CAPTURE(c.text());
    OneEntry one(c);
    program::Builder builder(one.program, 0);
    const std::vector<program::ValueId> outputs =
        c.row->expand(builder, {one.inputs, {}, c.example.attributes});
    const program::Entry& entry = one.program.entries[0];
    REQUIRE(program::verify(one.program).ok());
    for (const program::Node& node : entry.nodes) CHECK_FALSE(program::op_row(node.op).is_region());
    const std::vector<Array> expected = reference_of(c);
    const std::vector<Array> values = evaluate_entry(entry, c.operands, c.rows);
    REQUIRE(outputs.size() == expected.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      CHECK(entry.type(outputs[i]) == c.declared_results[i]);
      CHECK(distance(values[static_cast<std::size_t>(outputs[i].index)], expected[i]) < 1e-13);
    }
  }
}

TEST_CASE("a cost is finite and not negative") {
  for (const ExampleCase& c : example_cases()) {
    CAPTURE(c.text());
    const program::Cost cost = c.row->cost({c.example.operands, c.example.attributes});
    CHECK(cost.flop >= 0);
    CHECK(cost.bytes >= 0);
    CHECK(cost.bytes < 1e9);
  }
}
