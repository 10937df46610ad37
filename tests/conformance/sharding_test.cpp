#include <doctest/doctest.h>

#include <algorithm>

#include "tests/conformance/example_case.h"

using namespace penstock;
using namespace penstock::conformance;
using program::Linearity;
using program::ShardingRule;

namespace {

struct Cut {
  std::int64_t begin = 0, end = 0;
};

/// Part `part` of `parts` of a dimension; the parts differ by at most one.
Cut cut(std::int64_t size, int part, int parts) {
  return {size * part / parts, size * (part + 1) / parts};
}

/// The elements of `array` within the cut along each dimension that carries the factor.
Array part_of(const Array& array, const std::vector<int>& factors, int factor, int part,
              int parts) {
  const auto from = sizes(array);
  program::Shape shape = array.type.shape;
  std::vector<std::int64_t> begin(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (factors[i] != factor) continue;
    const Cut range = cut(from[i], part, parts);
    begin[i] = range.begin;
    shape[i].bound = range.end - range.begin;
  }
  Array out = zeros(array.type.dtype, shape);
  const auto to = sizes(out);
  for (std::int64_t n = 0; n < count(to); ++n) {
    auto index = unravel(n, to);
    for (std::size_t i = 0; i < index.size(); ++i) index[i] += begin[i];
    out.values[static_cast<std::size_t>(n)] =
        array.values[static_cast<std::size_t>(ravel(index, from))];
  }
  return out;
}

program::TensorType part_type(program::TensorType type, const std::vector<int>& factors, int factor,
                              int part, int parts) {
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (factors[i] != factor) continue;
    const Cut range = cut(type.shape[i].bound, part, parts);
    type.shape[i].bound = range.end - range.begin;
  }
  return type;
}

struct Application {
  const program::OpRow& row;
  const std::vector<Array>& operands;
  const program::Attributes& attributes;
  std::int64_t rows;
};

std::vector<program::TensorType> types_of(const std::vector<Array>& arrays) {
  std::vector<program::TensorType> out;
  for (const Array& array : arrays) out.push_back(array.type);
  return out;
}

/// Cuts along one factor and checks that the parts' results make up the whole's.
void check_factor(const Application& whole, const ShardingRule& rule, int factor, int parts) {
  const std::vector<Array> expected =
      evaluate_reference(whole.row.name, {whole.operands, whole.attributes, whole.rows});
  std::vector<Array> sums;
  for (const Array& result : expected) sums.push_back(zeros(result.type.dtype, result.type.shape));
  for (int part = 0; part < parts; ++part) {
    std::vector<Array> operands;
    for (std::size_t i = 0; i < whole.operands.size(); ++i)
      operands.push_back(part_of(whole.operands[i], rule.operands[i], factor, part, parts));
    program::Types results;
    for (std::size_t i = 0; i < expected.size(); ++i)
      results.push_back(part_type(expected[i].type, rule.results[i], factor, part, parts));
    const auto whole_types = types_of(whole.operands), local_types = types_of(operands);
    const program::Attributes local =
        program::local_attributes(whole.row, {whole_types, whole.attributes}, local_types, results);
    const Result<program::Types> inferred = program::infer_types(whole.row, {local_types, local});
    REQUIRE_MESSAGE(inferred.ok(), (inferred.ok() ? "" : inferred.error().message));
    CHECK(*inferred == results);
    const std::vector<Array> got =
        evaluate_reference(whole.row.name, {operands, local, whole.rows});
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (rule.in_results(factor)) {
        const Array want = part_of(expected[i], rule.results[i], factor, part, parts);
        CHECK(distance(got[i], want) < 1e-12);
      } else {
        for (std::size_t n = 0; n < sums[i].values.size(); ++n)
          sums[i].values[n] += got[i].values[n];
      }
    }
  }
  if (rule.in_results(factor)) return;
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(distance(sums[i], expected[i]) < 1e-12);
}

bool mentions(const ShardingRule& rule, int factor) {
  for (const auto* side : {&rule.operands, &rule.results})
    for (const auto& dims : *side)
      if (std::find(dims.begin(), dims.end(), factor) != dims.end()) return true;
  return false;
}

/// Where broadcast and batch_size read the batch, the reference has one number of rows for all
/// devices; a case whose result gets its rows from there alone cannot be cut along them here.
bool rows_from_nowhere(const ExampleCase& c) {
  for (const Array& operand : c.operands)
    if (program::dynamic_dim(operand.type.shape) >= 0) return false;
  return program::dynamic_dim(c.declared_results[0].shape) >= 0;
}

std::vector<Array> sum(const std::vector<Array>& a, const std::vector<Array>& b) {
  std::vector<Array> out = a;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t n = 0; n < a[i].values.size(); ++n) out[i].values[n] += b[i].values[n];
  return out;
}

/// Whether op(first + second) == op(first) + op(second), where `operand` of both differ and the
/// others are shared, or all differ (operand < 0).
void check_linear(const ExampleCase& c, int operand) {
  std::vector<Array> first = c.operands, second = c.operands, both = c.operands;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (operand >= 0 && static_cast<std::size_t>(operand) != i) continue;
    for (std::size_t n = 0; n < first[i].values.size(); ++n) {
      second[i].values[n] = 0.75 * first[i].values[n] - 0.3 * static_cast<double>(n % 3);
      both[i].values[n] = first[i].values[n] + second[i].values[n];
    }
  }
  const program::Attributes& attributes = c.example.attributes;
  const auto apart = sum(evaluate_reference(c.row->name, {first, attributes, c.rows}),
                         evaluate_reference(c.row->name, {second, attributes, c.rows}));
  const auto together = evaluate_reference(c.row->name, {both, attributes, c.rows});
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const bool rounds = apart[i].type.dtype == program::DType::f32;
    CHECK(distance(apart[i], together[i]) < (rounds ? 1e-6 : 1e-12));
  }
}

}  // namespace

TEST_CASE("a sharding rule names one factor per dimension, and sizes of one factor agree") {
  for (const ExampleCase& c : example_cases()) {
    CAPTURE(c.text());
    const ShardingRule rule = c.row->sharding({c.example.operands, c.example.attributes});
    REQUIRE(rule.operands.size() == c.example.operands.size());
    REQUIRE(rule.results.size() == c.declared_results.size());
    std::vector<std::int64_t> size_of_factor(static_cast<std::size_t>(rule.factor_count()), -1);
    const auto check = [&](const std::vector<int>& factors, const program::Shape& shape) {
      REQUIRE(factors.size() == shape.size());
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (factors[i] == ShardingRule::kWhole) continue;
        std::int64_t& size = size_of_factor[static_cast<std::size_t>(factors[i])];
        if (size < 0) size = shape[i].bound;
        CHECK(size == shape[i].bound);
      }
    };
    for (std::size_t i = 0; i < rule.operands.size(); ++i)
      check(rule.operands[i], c.example.operands[i].shape);
    for (std::size_t i = 0; i < rule.results.size(); ++i)
      check(rule.results[i], c.declared_results[i].shape);
  }
}

TEST_CASE("what a sharding rule allows to cut gives the whole result") {
  int cuts = 0;
  for (const ExampleCase& c : example_cases()) {
    if (rows_from_nowhere(c)) continue;
    CAPTURE(c.text());
    // The rule may depend on bounds; here the bounds are the true sizes.
    program::Attributes attributes = c.example.attributes;
    const auto types = types_of(c.operands);
    program::Types results;
    for (const program::TensorType& type : c.declared_results)
      results.push_back(with_rows(type, c.rows));
    attributes =
        program::local_attributes(*c.row, {c.example.operands, attributes}, types, results);
    const ShardingRule rule = c.row->sharding({types, attributes});
    for (int factor = 0; factor < rule.factor_count(); ++factor) {
      if (!mentions(rule, factor)) continue;
      for (const int parts : {2, 3}) {
        CAPTURE(factor);
        CAPTURE(parts);
        check_factor({*c.row, c.operands, attributes, c.rows}, rule, factor, parts);
        ++cuts;
      }
    }
  }
  CHECK(cuts > 300);
}

TEST_CASE("an op is linear where its rule says so") {
  for (const ExampleCase& c : example_cases()) {
    CAPTURE(c.text());
    const Linearity linearity =
        c.row->sharding({c.example.operands, c.example.attributes}).linearity;
    if (linearity == Linearity::none) continue;
    if (linearity == Linearity::in_all) check_linear(c, -1);
    if (linearity == Linearity::first_only) check_linear(c, 0);
    if (linearity == Linearity::in_each)
      for (std::size_t i = 0; i < c.operands.size(); ++i) check_linear(c, static_cast<int>(i));
  }
}
