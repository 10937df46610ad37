#include "executor/compiler/differentiate/differentiate.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "schema/program/op.h"
#include "schema/program/verify.h"
#include "tests/unit/compiler/sample_programs.h"

using namespace penstock::compiler;
using namespace penstock;

namespace {

std::string refusal(const program::Program& program) {
  const auto result = differentiate(program, {});
  return result.ok() ? "accepted" : result.error().message;
}

std::int64_t count(const program::Entry& entry, std::string_view op) {
  return std::count_if(entry.nodes.begin(), entry.nodes.end(), [&](const program::Node& node) {
    return program::op_row(node.op).name == op;
  });
}

std::vector<std::string> written(const program::Program& program, std::string_view entry) {
  std::vector<std::string> out;
  for (const auto& write : program.find_entry(entry)->writes)
    out.push_back(program.variables[static_cast<std::size_t>(write.variable)].name);
  return out;
}

constexpr std::string_view kTrain =
    "train main minimize loss with sgd {momentum=0.0, weight_decay=0.0} learning_rate 0.1\n";

program::Program training(std::string_view variables, std::string_view lines) {
  return parsed("penstock program 1\nseed 1\n" + std::string(variables) + "entry main {\n" +
                std::string(lines) + "}\n" + std::string(kTrain));
}

}  // namespace

TEST_CASE("training adds four entries beside the user's, and they verify") {
  const auto both = differentiate(sample_mlp("adamw"), {}).value();
  REQUIRE(program::verify(both.program).ok());
  for (const auto* name : {"main", "step", "forward_backward", "update", "evaluate"})
    CHECK(both.program.find_entry(name) != nullptr);
  CHECK_FALSE(both.program.training.has_value());
}

TEST_CASE("a step updates each parameter with one optimizer region, and counts") {
  const auto both = differentiate(sample_mlp("adamw"), {}).value();
  const program::Entry& step = *both.program.find_entry("step");
  CHECK(count(step, "adamw") == 4);
  CHECK(step.writes.size() == 4 * 3 + 1);
  CHECK(step.outputs.size() == 2);
  CHECK(both.program.find_entry("evaluate")->writes.empty());
  CHECK(count(*both.program.find_entry("evaluate"), "cross_entropy_gradient") == 0);
}

TEST_CASE("the halves of a step meet in the gradient variables") {
  const auto both = differentiate(sample_mlp("sgd"), {}).value();
  const std::vector<std::string> gradients = {"gradient/fc1.weight", "gradient/fc1.bias",
                                              "gradient/fc2.weight", "gradient/fc2.bias"};
  CHECK(written(both.program, "forward_backward") == gradients);
  const auto update = written(both.program, "update");
  for (const std::string& name : gradients)
    CHECK(std::find(update.begin(), update.end(), name) != update.end());
  CHECK(std::find(update.begin(), update.end(), "fc1.weight") != update.end());
  CHECK(std::find(update.begin(), update.end(), "optimizer/fc1.weight/momentum") != update.end());
}

TEST_CASE("the gradient in the input of the first layer is not computed") {
  // Two layers: two weight gradients and one input gradient beside two forward products.
  const auto both = differentiate(sample_mlp("sgd"), {}).value();
  CHECK(count(*both.program.find_entry("step"), "matmul") == 5);
}

TEST_CASE("a parameter that the loss does not depend on is named") {
  CHECK(refusal(training("variable w: f32[] trainable constant(0.0)\n"
                         "variable unused: f32[] trainable constant(0.0)\n",
                         "  %0: f32[] = read w\n  %1: f32[] = exp(%0)\n  output loss = %1\n")) ==
        "entry main: variable unused: it is trainable, but the loss does not depend on it; use it, "
        "or declare it without 'trainable'");
}

TEST_CASE("an op without a gradient between parameter and loss is named") {
  CHECK(refusal(training("variable w: f32[3] trainable constant(0.0)\n",
                         "  %0: f32[3] = read w\n  %1: f64[] = constant() {dtype=f64, value=0.1}\n"
                         "  %2: f32[3], %3: f32[3] = sgd(%0, %0, %0, %1) {momentum=0.0, "
                         "weight_decay=0.0}\n"
                         "  %4: f32[] = reduce_sum(%2) {dims=[0]}\n  output loss = %4\n")) ==
        "entry main: sgd %2: the op has no gradient, but lies between a trainable variable and the "
        "loss; keep it off that path");
}

TEST_CASE("a taken entry name is refused") {
  program::Program program = sample_mlp("sgd");
  program.entries.push_back(program.entries[0]);
  program.entries.back().name = "update";
  CHECK(differentiate(program, {}).error().code == ErrorCode::already_exists);
}

TEST_CASE("a training entry that is itself called step is replaced") {
  program::Program program = sample_mlp("sgd");
  program.entries[0].name = "step";
  program.training->entry = "step";
  const auto both = differentiate(program, {}).value();
  CHECK(both.program.entries.size() == 4);
  CHECK(count(*both.program.find_entry("step"), "sgd") == 4);
}

TEST_CASE("the plan's words on inputs and parameters reach what comes from them") {
  const auto plan = plan_of(
      "mesh data=2\nbucket_bytes 1024\nspread input main x @[data:split(0)]\n"
      "spread variable fc1.weight @[data:split(0)]\n");
  const auto both = differentiate(sample_mlp("adamw"), plan).value();
  const auto has = [&](std::string_view entry, std::string_view name) {
    return std::any_of(
        both.plan.annotations.begin(), both.plan.annotations.end(),
        [&](const program::Annotation& a) { return a.entry == entry && a.name == name; });
  };
  CHECK(has("step", "x"));
  CHECK(has("forward_backward", "x"));
  CHECK(has("evaluate", "x"));
  CHECK(has("", "gradient/fc1.weight"));
  CHECK(has("", "optimizer/fc1.weight/v"));
  CHECK_FALSE(has("", "gradient/fc2.weight"));
}
