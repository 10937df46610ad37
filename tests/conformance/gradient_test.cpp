#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "schema/program/builder.h"
#include "schema/program/verify.h"
#include "tests/conformance/example_case.h"

using namespace penstock;
using namespace penstock::conformance;

namespace {

/// sum(weights * op(operands)): the scalar whose slope is tried.
double weighted(const ExampleCase& c, std::span<const Array> operands, const Array& weights) {
  const std::vector<Array> results =
      evaluate_reference(c.row->name, {operands, c.example.attributes, c.rows});
  double sum = 0;
  for (std::size_t i = 0; i < weights.values.size(); ++i)
    sum += weights.values[i] * results[0].values[i];
  return sum;
}

/// Central differences: their error is of the order of 1e-10 here.
Array numeric_gradient(const ExampleCase& c, std::size_t operand, const Array& weights) {
  constexpr double kStep = 1e-5;
  std::vector<Array> operands = c.operands;
  Array out = operands[operand];
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    double& x = operands[operand].values[i];
    const double middle = x;
    x = middle + kStep;
    const double above = weighted(c, operands, weights);
    x = middle - kStep;
    const double below = weighted(c, operands, weights);
    x = middle;
    out.values[i] = (above - below) / (2 * kStep);
  }
  return out;
}

void check_gradient(const ExampleCase& c) {
  // The gradient's graph: operands, then the op, then a weight for each element of its result.
  program::Program program;
  program.entries.push_back({"main", {}, {}, {}, {}});
  program::Builder builder(program, 0);
  std::vector<program::ValueId> inputs;
  for (std::size_t i = 0; i < c.example.operands.size(); ++i)
    inputs.push_back(builder.try_input("x" + std::to_string(i), c.example.operands[i]).value());
  const program::ValueId weight = builder.try_input("w", c.declared_results[0]).value();
  const std::vector<program::ValueId> outputs =
      builder.apply_all(c.row->name, inputs, c.example.attributes);
  const std::vector<program::ValueId> gradients =
      c.row->gradient(builder, {inputs, outputs, c.example.attributes}, {&weight, 1});
  REQUIRE(gradients.size() == inputs.size());
  const Status verified = program::verify(program);
  REQUIRE_MESSAGE(verified.ok(), (verified.ok() ? "" : verified.error().message));

  SeededRandom random(7);
  std::vector<Array> arrays = c.operands;
  const program::TensorType result = with_rows(c.declared_results[0], c.rows);
  Array weights = zeros(result.dtype, result.shape);
  for (double& value : weights.values) value = 2 * random.unit() - 1;
  arrays.push_back(weights);
  const std::vector<Array> values = evaluate_entry(program.entries[0], arrays, c.rows);

  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!program::is_float(c.example.operands[i].dtype)) continue;
    CAPTURE(i);
    const Array numeric = numeric_gradient(c, i, weights);
    if (!gradients[i]) {  // says that the slope is zero
      for (const double slope : numeric.values) CHECK(std::fabs(slope) < 1e-9);
      continue;
    }
    CHECK(program.entries[0].type(gradients[i]) == c.example.operands[i]);
    CHECK(distance(values[static_cast<std::size_t>(gradients[i].index)], numeric) < 1e-7);
  }
}

}  // namespace

TEST_CASE("gradients agree with finite differences of the reference") {
  int checked = 0;
  for (const ExampleCase& c : example_cases()) {
    if (!c.row->differentiable() || !c.example.check_gradient) continue;
    if (c.declared_results[0].dtype != program::DType::f64) continue;
    CAPTURE(c.text());
    check_gradient(c);
    ++checked;
  }
  CHECK(checked > 100);
}

namespace {

/// The gradient graph's value for operand 0, with a weight of 1 for each result.
std::vector<double> gradient_of(std::string_view op, std::vector<Array> operands,
                                const program::Attributes& attributes, std::size_t which) {
  program::Program program;
  program.entries.push_back({"main", {}, {}, {}, {}});
  program::Builder builder(program, 0);
  std::vector<program::ValueId> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i)
    inputs.push_back(builder.try_input("x" + std::to_string(i), operands[i].type).value());
  const auto outputs = builder.apply_all(op, inputs, attributes);
  const program::ValueId one = builder.fill_like(1, builder.type(outputs[0]));
  const auto gradients = program::op_row(*program::find_op(op))
                             .gradient(builder, {inputs, outputs, attributes}, {&one, 1});
  const auto values = evaluate_entry(program.entries[0], operands, 0);
  return values[static_cast<std::size_t>(gradients[which].index)].values;
}

Array f64(std::vector<double> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {{program::DType::f64, {size}}, std::move(values)};
}

}  // namespace

TEST_CASE("equal maxima share their gradient as torch's maximum and amax do") {
  const Array a = f64({1, 2, 5}), b = f64({3, 2, 4});
  CHECK(gradient_of("maximum", {a, b}, {}, 0) == std::vector<double>{0, 0.5, 1});
  CHECK(gradient_of("maximum", {a, b}, {}, 1) == std::vector<double>{1, 0.5, 0});
  const program::Attributes all = {{"dims", std::vector<std::int64_t>{0}}};
  CHECK(gradient_of("reduce_max", {f64({4, 1, 4, 0})}, all, 0) ==
        std::vector<double>{0.5, 0, 0.5, 0});
}

TEST_CASE("relu has no slope at zero, as in torch") {
  CHECK(gradient_of("relu", {f64({-1, 0, 2})}, {}, 0) == std::vector<double>{0, 0, 1});
}
