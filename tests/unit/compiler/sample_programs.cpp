#include "tests/unit/compiler/sample_programs.h"

#include "schema/program/builder.h"
#include "schema/program/text.h"

namespace penstock::compiler {
namespace {

using program::Builder;
using program::DType;
using program::Shape;
using program::ValueId;

ValueId parameter(Builder& b, std::string name, Shape shape) {
  program::Variable variable{name, {DType::f32, std::move(shape)}, {}, true};
  variable.initializer = {program::Initializer::Kind::uniform, -0.5, 0.5};
  add_variable(b.program(), std::move(variable)).value();
  return b.try_read(name).value();
}

ValueId dense(Builder& b, const std::string& name, ValueId x, std::int64_t out) {
  const std::int64_t in = b.type(x).shape[1].bound;
  const ValueId weight = parameter(b, name + ".weight", {in, out});
  const ValueId bias = parameter(b, name + ".bias", {out});
  const ValueId y =
      b.apply("matmul", {x, weight}, {{"transpose_lhs", false}, {"transpose_rhs", false}});
  const Shape shape = b.type(y).shape;
  return b.apply("add", {y, b.broadcast(bias, shape, {1})});
}

void finish(Builder& b, ValueId logits, std::int64_t batch, std::string_view optimizer) {
  const ValueId labels = b.try_input("labels", {DType::i32, {program::batch(batch)}}).value();
  const ValueId rows = b.apply("cross_entropy", {logits, labels});
  const ValueId loss = b.apply("mean", {rows}, {{"dims", std::vector<std::int64_t>{0}}});
  b.try_output("loss", loss).value();
  b.try_output("logits", logits).value();
  program::Training training;
  training.entry = "main";
  training.loss = "loss";
  training.optimizer = optimizer;
  if (optimizer == "adamw")
    training.options = {
        {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}, {"weight_decay", 0.01}};
  else
    training.options = {{"momentum", 0.9}, {"weight_decay", 0.0}};
  training.learning_rate = 0.001;
  b.program().training = training;
}

program::Program with_entry() {
  program::Program out;
  out.seed = 7;
  out.entries.resize(1);
  out.entries[0].name = "main";
  return out;
}

}  // namespace

program::Program sample_mlp(std::string_view optimizer, std::int64_t batch) {
  program::Program out = with_entry();
  Builder b(out, 0);
  const ValueId x = b.try_input("x", {DType::f32, {program::batch(batch), 8}}).value();
  const ValueId hidden = b.apply("relu", {dense(b, "fc1", x, 16)});
  finish(b, dense(b, "fc2", hidden, 4), batch, optimizer);
  return out;
}

program::Program sample_convnet(std::int64_t batch) {
  using Integers = std::vector<std::int64_t>;
  program::Program out = with_entry();
  Builder b(out, 0);
  const ValueId x = b.try_input("x", {DType::f32, {program::batch(batch), 8, 8, 1}}).value();
  const ValueId filter = parameter(b, "conv.weight", {3, 3, 1, 4});
  const ValueId maps = b.apply("conv2d", {x, filter},
                               {{"strides", Integers{1, 1}}, {"padding", Integers{1, 1, 1, 1}}});
  const ValueId pooled = b.apply(
      "max_pool2d", {b.apply("relu", {maps})},
      {{"window", Integers{2, 2}}, {"strides", Integers{2, 2}}, {"padding", Integers{0, 0, 0, 0}}});
  const ValueId flat = b.apply("reshape", {pooled}, {{"shape", Integers{batch, 64}}});
  finish(b, dense(b, "fc", flat, 4), batch, "adamw");
  return out;
}

program::Program parsed(std::string_view text) {
  return program::parse(text).value();
}

program::Program with_main(std::string_view variables, std::string_view lines) {
  return parsed("penstock program 1\nseed 1\n" + std::string(variables) + "entry main {\n" +
                std::string(lines) + "}\n");
}

program::Plan plan_of(std::string_view lines) {
  return program::parse_plan("penstock plan 1\n" + std::string(lines)).value();
}

}  // namespace penstock::compiler
