#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "penstock/nn.h"
#include "penstock/ops.h"
#include "sdk/src/graph.h"
#include "sdk/src/plan.h"

using namespace penstock;

namespace {

/// What the Exception of `work` says; "nothing thrown" if there is none.
std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Exception& exception) {
    return exception.error().message;
  }
  return "nothing thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::int64_t parameters(const Program& net) {
  std::int64_t sum = 0;
  for (const auto& variable : detail::GraphAccess::graph(net).program.variables)
    sum += program::element_count(variable.type.shape);
  return sum;
}

}  // namespace

TEST_CASE("an expression over an input and variables becomes the nodes that it says") {
  Program net;
  net.seed(7);
  const Value x = net.input("x", f32, {batch(4), 3});
  const Value w = net.variable("w", f32, {3, 2}, init::zeros());
  net.output("y", relu(matmul(x, w)));
  const std::string text = net.text();
  CHECK(contains(text, "seed 7"));
  CHECK(contains(text, "variable w: f32[3,2] trainable"));
  CHECK(contains(text, "f32[<=4,3] = input x"));
  CHECK(contains(text, "matmul(%0, %1)"));
  CHECK(contains(text, "output y = %3"));
}

TEST_CASE("operands of different shape meet at numpy's common shape") {
  // Right values: numpy.broadcast_shapes.
  const auto common = [](Shape a, Shape b) {
    Program net;
    const Value x = net.input("a", f32, std::move(a));
    const Value y = net.input("b", f32, std::move(b));
    return (x + y).shape();
  };
  CHECK(common({5, 4}, {4}) == Shape{5, 4});
  CHECK(common({5, 4}, {1}) == Shape{5, 4});
  CHECK(common({15, 3, 5}, {15, 1, 5}) == Shape{15, 3, 5});
  CHECK(common({8, 1, 6, 1}, {7, 1, 5}) == Shape{8, 7, 6, 5});
  CHECK(common({batch(64), 10}, {10}) == Shape{batch(64), 10});
  CHECK(common({}, {2, 3}) == Shape{2, 3});
  CHECK(common({batch(64), 1}, {1, 10}) == Shape{batch(64), 10});
}

TEST_CASE("shapes that do not meet are refused at the line, with both in the text") {
  Program net;
  const Value a = net.input("a", f32, {3, 4});
  const Value b = net.input("b", f32, {3});
  CHECK(message_of([&] { a + b; }) ==
        "add: shapes [3,4] and [3] do not fit: aligned at the right, extents must be equal or 1");
}

TEST_CASE("a number beside a value takes the value's element type") {
  Program net;
  const Value x = net.input("x", f64, {2, 2});
  CHECK((x * 2.0).type() == TensorType{f64, {2, 2}});
  CHECK((1.0 - x).type() == TensorType{f64, {2, 2}});
}

TEST_CASE("operands of two element types are refused by name") {
  Program net;
  const Value a = net.input("a", f32, {2});
  const Value b = net.input("b", i32, {2});
  const std::string message = message_of([&] { a + b; });
  CHECK(contains(message, "add %2"));
  CHECK(contains(message, "f32[2]"));
  CHECK(contains(message, "i32[2]"));
}

TEST_CASE("a matmul whose inner sizes differ says both") {
  Program net;
  const Value x = net.input("x", f32, {64, 784});
  const Value w = net.variable("w", f32, {512, 10}, init::zeros());
  const std::string message = message_of([&] { matmul(x, w); });
  CHECK(contains(message, "matmul"));
  CHECK(contains(message, "784"));
  CHECK(contains(message, "512"));
}

TEST_CASE("values of two programs or two entries do not mix, variables do") {
  Program one, other;
  const Value x = one.input("x", f32, {2});
  const Value y = other.input("y", f32, {2});
  CHECK(contains(message_of([&] { x + y; }), "another program"));
  const Value z = one.entry("evaluate").input("z", f32, {2});
  CHECK(contains(message_of([&] { x + z; }), "entries share variables only"));
  const Value w = one.variable("w", f32, {2}, init::zeros());
  CHECK((z + w).shape() == Shape{2});
  CHECK((x + w).shape() == Shape{2});
  CHECK(contains(message_of([&] { relu(Value()); }), "names nothing"));
}

TEST_CASE("the loss is a scalar over the true batch, and accuracy too") {
  Program net;
  const Value logits = net.input("logits", f32, {batch(8), 10});
  const Value labels = net.input("labels", i32, {batch(8)});
  CHECK(cross_entropy(logits, labels).type() == TensorType{f32, {}});
  CHECK(cross_entropy(logits, labels, {.reduction = Reduction::none}).type() ==
        TensorType{f32, {batch(8)}});
  CHECK(accuracy(logits, labels).type() == TensorType{f32, {}});
}

TEST_CASE("reductions and reshapes name the dimensions that they lack") {
  Program net;
  const Value x = net.input("x", f32, {batch(8), 3, 4});
  CHECK(sum(x, {-1}).shape() == Shape{batch(8), 3});
  CHECK(argmax(x).type() == TensorType{i64, {batch(8), 3}});
  CHECK(flatten(x).shape() == Shape{batch(8), 12});
  CHECK(transpose(x, {0, 2, 1}).shape() == Shape{batch(8), 4, 3});
  CHECK(contains(message_of([&] { sum(x, {3}); }), "there is no dimension 3"));
  CHECK(contains(message_of([&] { mean(x, {1, -2}); }), "given twice"));
}

TEST_CASE("the convnet has torch's 421642 parameters and the mlp its 535818") {
  Program convnet;
  const Value x = convnet.input("x", f32, {batch(64), 784});
  CHECK(nn::convnet(convnet, x).shape() == Shape{batch(64), 10});
  CHECK(parameters(convnet) == 421642);
  CHECK(convnet.has_variable("conv1.weight"));
  CHECK(convnet.has_variable("fc2.bias"));

  Program mlp;
  const Value y = mlp.input("x", f32, {batch(64), 784});
  CHECK(nn::mlp(mlp, y, {512, 256, 10}).shape() == Shape{batch(64), 10});
  CHECK(parameters(mlp) == 535818);
}

TEST_CASE("a linear layer starts uniform within 1/sqrt(fan_in), weights and bias") {
  Program net;
  nn::linear(net, net.input("x", f32, {2, 16}), 3);
  const auto& variables = detail::GraphAccess::graph(net).program.variables;
  REQUIRE(variables.size() == 2);
  for (const auto& variable : variables) {
    CHECK(variable.initializer.kind == program::Initializer::Kind::uniform);
    CHECK(variable.initializer.a == -0.25);
    CHECK(variable.initializer.b == 0.25);
  }
}

TEST_CASE("a second entry reuses a model's variables when told to, and only then") {
  Program net;
  nn::mlp(net, net.input("x", f32, {batch(8), 4}), {2});
  const Value x = net.entry("evaluate").input("x", f32, {batch(8), 4});
  CHECK(contains(message_of([&] { nn::mlp(net, x, {2}); }), "fc1.weight"));
  CHECK(nn::mlp(net, x, {2}, {.weights = nn::Weights::reuse}).shape() == Shape{batch(8), 2});
  CHECK(parameters(net) == 10);
}

TEST_CASE("training adds loss, metrics and optimizer to a copy of the program") {
  Program net;
  const Value x = net.input("x", f32, {batch(8), 4});
  const Value y = net.input("y", i32, {batch(8)});
  const Value logits = nn::mlp(net, x, {3});
  const Value loss = cross_entropy(logits, y);
  const program::Program trained = detail::training_program(
      loss, {{"accuracy", accuracy(logits, y)}}, SGD{.learning_rate = 0.5, .momentum = 0.9});
  REQUIRE(trained.training.has_value());
  CHECK(trained.training->optimizer == "sgd");
  CHECK(trained.training->learning_rate == 0.5);
  CHECK(trained.training->options.real("momentum") == 0.9);
  CHECK(trained.entries[0].outputs.size() == 2);
  CHECK(detail::GraphAccess::graph(net).program.entries[0].outputs.empty());
  CHECK(contains(message_of([&] { detail::training_program(logits, {}, AdamW{}); }),
                 "a scalar is needed"));
}

TEST_CASE(
    "the data plan cuts every batch over devices and micro-batches and keeps variables whole") {
  Program net;
  const Value x = net.input("x", f32, {batch(8), 4});
  const Value mask = net.input("mask", f32, {4});
  nn::mlp(net, x * mask, {3});
  const auto plan = detail::data_plan(detail::GraphAccess::graph(net).program,
                                      {.devices = 2, .micro_batches = 4});
  REQUIRE(plan.ok());
  const std::string text = program::print(*plan);
  CHECK(contains(text, "mesh data=2 micro=4*"));
  CHECK(contains(text, "spread input main x @[data:split(0), micro:split(0)]"));
  CHECK(contains(text, "spread input main mask @[]"));
  CHECK(contains(text, "spread variable fc1.weight @[]"));
  CHECK_FALSE(detail::data_plan(detail::GraphAccess::graph(net).program, {.devices = 0}).ok());
}
