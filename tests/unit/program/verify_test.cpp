#include "schema/program/verify.h"

#include <doctest/doctest.h>

#include "schema/program/builder.h"

using namespace penstock;
using namespace penstock::program;

namespace {

TensorType f32(Shape shape) {
  return {DType::f32, std::move(shape)};
}

/// loss = mean(x * w), trained by SGD.
Program sound() {
  Program program;
  program.entries.push_back({"main", {}, {}, {}, {}});
  REQUIRE(add_variable(program, {"w", f32({3}), {}, true}).ok());
  Builder b(program, 0);
  const ValueId x = b.try_input("x", f32({3})).value();                                 // %0
  const ValueId w = b.try_read("w").value();                                            // %1
  const ValueId y = b.apply("multiply", {x, w});                                        // %2
  const ValueId loss = b.apply("mean", {y}, {{"dims", std::vector<std::int64_t>{0}}});  // %3
  REQUIRE(b.try_output("loss", loss).ok());
  REQUIRE(b.try_write("w", y).ok());
  program.training =
      Training{"main", "loss", "sgd", {{"momentum", 0.9}, {"weight_decay", 0.0}}, 0.1};
  return program;
}

/// The message after one change to a sound program.
template <class Change>
std::string fault(Change change) {
  Program program = sound();
  change(program);
  const Status status = verify(program);
  return status.ok() ? "no fault was found" : status.error().message;
}

}  // namespace

TEST_CASE("a sound program passes") {
  CHECK(verify(sound()).ok());
}

TEST_CASE("a use before its definition is found") {
  CHECK(fault([](Program& p) { p.entries[0].nodes[0].inputs[1] = {3}; }) ==
        "entry main, multiply %2: operand %3 is not defined before %2");
  CHECK(fault([](Program& p) { p.entries[0].nodes[0].inputs[1] = {-1}; }) ==
        "entry main, multiply %2: operand %-1 is not defined before %2");
  CHECK(fault([](Program& p) { p.entries[0].nodes[0].inputs[1] = {99}; }) ==
        "entry main, multiply %2: operand %99 is not defined before %2");
}

TEST_CASE("a type that the op does not give is found") {
  CHECK(fault([](Program& p) { p.entries[0].values[2].type = f32({4}); }) ==
        "entry main, multiply %2: result %2 is typed f32[4], but it is f32[3]");
}

TEST_CASE("operands that do not fit are found") {
  CHECK(fault([](Program& p) { p.entries[0].values[0].type = f32({4}); }) ==
        "entry main, multiply %2: shapes differ: lhs [4], rhs [3]; broadcast the smaller one");
}

TEST_CASE("a wrong number of operands or results is found") {
  CHECK(fault([](Program& p) { p.entries[0].nodes[0].inputs.pop_back(); }) ==
        "entry main, multiply %2: takes 2 operands, got 1");
  CHECK(fault([](Program& p) { p.entries[0].nodes[0].outputs.clear(); }) ==
        "entry main, multiply %2: has 1 results, 0 are defined");
}

TEST_CASE("an op that does not exist is found") {
  CHECK(fault([](Program& p) { p.entries[0].nodes[0].op = 60000; }) ==
        "entry main, value %2: there is no op 60000");
}

TEST_CASE("a missing or unknown attribute is found") {
  CHECK(fault([](Program& p) { p.entries[0].nodes[1].attributes = {}; }) ==
        "entry main, mean %3: attribute 'dims' is missing; it is a list of integers");
  CHECK(fault([](Program& p) {
          p.entries[0].nodes[0].attributes = {{"alpha", 1}};
        }) == "entry main, multiply %2: there is no attribute 'alpha'");
}

TEST_CASE("nodes out of the order of their values are found") {
  CHECK(fault([](Program& p) {
          std::swap(p.entries[0].nodes[0], p.entries[0].nodes[1]);
        }).starts_with("entry main, "));
  CHECK(fault([](Program& p) { p.entries[0].nodes.pop_back(); }) ==
        "entry main, value %3 is said to come from node 1, but node 1 is next");
  CHECK(fault([](Program& p) { p.entries[0].nodes.push_back(p.entries[0].nodes[0]); }) ==
        "entry main, node 2 defines no value");
}

TEST_CASE("a variable that does not exist or has another type is found") {
  CHECK(fault([](Program& p) { p.entries[0].values[1].index = 5; }) ==
        "entry main, read %1: there is no variable 5");
  CHECK(fault([](Program& p) { p.entries[0].values[1].index = -5; }) ==
        "entry main, read %1: there is no variable -5");
  CHECK(fault([](Program& p) { p.variables[0].type = f32({9}); }) ==
        "entry main, read w %1: is typed f32[3], the variable is f32[9]");
  CHECK(fault([](Program& p) { p.entries[0].writes[0].variable = 5; }) ==
        "entry main, write: there is no variable 5");
}

TEST_CASE("names that are taken or malformed are found") {
  CHECK(fault([](Program& p) { p.variables.push_back(p.variables[0]); }) ==
        "variable w: the name is taken already");
  CHECK(fault([](Program& p) { p.entries.push_back(p.entries[0]); }) ==
        "entry main: the name is taken already");
  CHECK(fault([](Program& p) { p.entries[0].outputs.push_back(p.entries[0].outputs[0]); }) ==
        "entry main, output loss: the name is taken already");
  CHECK(fault([](Program& p) { p.entries[0].writes.push_back(p.entries[0].writes[0]); }) ==
        "entry main, write w: the variable is written already");
  CHECK(fault([](Program& p) { p.entries[0].name = "a b"; }) ==
        "entry a b: name 'a b' has a character other than A-Z a-z 0-9 _ . - /");
  CHECK(fault([](Program& p) { p.entries[0].values[0].name = "1x"; }) ==
        "entry main, input 1x %0: name '1x' must begin with a letter or _");
}

TEST_CASE("an output or write of no value is found") {
  CHECK(fault([](Program& p) { p.entries[0].outputs[0].value = {44}; }) ==
        "entry main, output loss: there is no value %44");
  CHECK(fault([](Program& p) { p.entries[0].writes[0].value = {-1}; }) ==
        "entry main, write w: there is no value %-1");
}

TEST_CASE("two batches in one entry are found") {
  Program program;
  program.entries.push_back({"main", {}, {}, {}, {}});
  program.entries[0].values = {{f32({batch(4)}), Source::input, 0, "x"},
                               {f32({batch(5)}), Source::input, 0, "y"}};
  CHECK(verify(program).error().message ==
        "entry main, input y %1: the batch bound of f32[<=5] differs from 4 before; an entry has "
        "one batch");
}

TEST_CASE("the size of a batch that nobody has is found") {
  Program program;
  program.entries.push_back({"main", {}, {}, {}, {}});
  Builder(program, 0).apply("batch_size", {}, {{"dtype", DType::f32}});
  CHECK(verify(program).error().message ==
        "entry main, batch_size is used, but no input has a dynamic dimension");
}

TEST_CASE("initializers that make no sense are found") {
  using Kind = Initializer::Kind;
  CHECK(fault([](Program& p) {
          p.variables[0].initializer = {Kind::uniform, 1, -1};
        }) == "variable w: uniform(1.0, -1.0): the lower bound is above the upper one");
  CHECK(fault([](Program& p) {
          p.variables[0].initializer = {Kind::normal, 0, -1};
        }) == "variable w: normal: the standard deviation -1.0 is negative");
  CHECK(fault([](Program& p) {
          p.variables[0].initializer = {Kind::constant, 0.0 / 0.0, 0};
        }) == "variable w: the initializer's numbers must be finite");
}

TEST_CASE("training without a loss, a parameter or an optimizer is found") {
  CHECK(fault([](Program& p) { p.training->entry = "other"; }) ==
        "train: there is no entry 'other'");
  CHECK(fault([](Program& p) { p.training->loss = "cost"; }) ==
        "train: entry main has no output 'cost'");
  CHECK(fault([](Program& p) { p.entries[0].outputs[0].value = {2}; }) ==
        "train: the loss 'loss' must be a floating-point scalar, not f32[3]; take its mean");
  CHECK(fault([](Program& p) { p.training->optimizer = "add"; }) ==
        "train: there is no optimizer 'add'; there are adam, adamw, lion and sgd");
  CHECK(fault([](Program& p) { p.training->options.set("momentum", 1.5); }) ==
        "train: sgd: attribute 'momentum' = 1.5 is outside [0.0, 1.0)");
  CHECK(fault([](Program& p) { p.variables[0].trainable = false; }) ==
        "train: no variable is trainable");
  CHECK(fault([](Program& p) { p.training->learning_rate = -1; }) ==
        "train: learning rate -1.0 must be finite and not negative");
}

TEST_CASE("limits hold") {
  Limits limits;
  limits.nodes_per_entry = 1;
  CHECK(verify(sound(), limits).error() ==
        Error{ErrorCode::resource_exhausted,
              "entry main, there are 2 nodes, more than the limit of 1"});
  limits = {};
  limits.elements = 2;
  CHECK(verify(sound(), limits).error().message ==
        "variable w: shape [3] has a size over the limit of 2");
}
