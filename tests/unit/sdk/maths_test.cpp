// Every function of penstock/maths.h makes the op that it is named after.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "penstock/penstock.h"

using namespace penstock;

namespace {

/// The op that a function applies last to values of these types.
template <class F>
std::string made_by(F f, DType dtype = f32) {
  Program net;
  const Value x = net.input("x", dtype, {2, 3}), y = net.input("y", dtype, {3});
  net.output("z", f(x, y));
  const std::string text = net.text();
  const auto open = text.rfind('(');
  const auto space = text.rfind(' ', open);
  return text.substr(space + 1, open - space - 1);
}

using Unary = Value (*)(const Value&);
using Binary = Value (*)(const Value&, const Value&);
using OverDims = Value (*)(const Value&, Dims);

}  // namespace

TEST_CASE("functions of one value") {
  const std::vector<std::pair<std::string, Unary>> functions = {
      {"abs", abs},
      {"sign", sign},
      {"floor", floor},
      {"ceil", ceil},
      {"round", round},
      {"trunc", trunc},
      {"rsqrt", rsqrt},
      {"reciprocal", reciprocal},
      {"multiply", square},
      {"expm1", expm1},
      {"log1p", log1p},
      {"sin", sin},
      {"cos", cos},
      {"tan", tan},
      {"asin", asin},
      {"acos", acos},
      {"atan", atan},
      {"sinh", sinh},
      {"cosh", cosh},
      {"asinh", asinh},
      {"acosh", acosh},
      {"atanh", atanh},
      {"erf", erf},
      {"is_nan", is_nan},
      {"silu", silu},
      {"is_finite", is_finite},
      {"gelu", gelu},
      {"gelu", gelu_tanh},
      {"selu", selu},
      {"relu6", relu6},
      {"mish", mish},
      {"hardtanh", hardtanh},
      {"softsign", softsign},
      {"hard_sigmoid", hard_sigmoid},
      {"hard_swish", hard_swish},
  };
  for (const auto& [op, f] : functions)
    CHECK(made_by([f = f](const Value& x, const Value&) { return f(x); }) == op);
  CHECK(made_by([](const Value& x, const Value&) { return logical_not(x); }, boolean) ==
        "logical_not");
}

TEST_CASE("functions of two values repeat the smaller one") {
  const std::vector<std::pair<std::string, Binary>> functions = {
      {"pow", pow},
      {"atan2", atan2},
      {"remainder", remainder},
      {"minimum", minimum},
      {"not_equal", not_equal},
      {"less", less},
      {"less_equal", less_equal},
      {"greater_equal", greater_equal},
      {"swiglu", swiglu},
      {"prelu", prelu},
      {"mse", mse},
      {"bce", bce},
      {"bce_with_logits", bce_with_logits},
      {"kl_divergence", kl_divergence},
  };
  for (const auto& [op, f] : functions)
    CHECK(made_by([f = f](const Value& x, const Value& y) { return f(x, y); }) == op);
  CHECK(made_by([](const Value& x, const Value& y) { return huber(x, y, 2); }) == "huber");
  for (const auto& [op, f] : std::vector<std::pair<std::string, Binary>>{
           {"logical_and", logical_and}, {"logical_or", logical_or}, {"logical_xor", logical_xor}})
    CHECK(made_by([f = f](const Value& x, const Value& y) { return f(x, y); }, boolean) == op);
}

TEST_CASE("parameters are kept with the op") {
  Program net;
  const Value x = net.input("x", f32, {2});
  net.output("a", clamp(x, -1, 2));
  net.output("b", leaky_relu(x, 0.25));
  net.output("c", elu(x, 0.5));
  net.output("d", celu(x, 0.75));
  net.output("e", softplus(x, 3));
  net.output("f", huber(x, x, 1.5));
  for (const char* part :
       {"clamp(%0) {high=2.0, low=-1.0}", "leaky_relu(%0) {slope=0.25}", "elu(%0) {alpha=0.5}",
        "celu(%0) {alpha=0.75}", "softplus(%0) {beta=3.0}", "huber(%0, %0) {delta=1.5}"})
    CHECK_MESSAGE(net.text().find(part) != std::string::npos, part, " in ", net.text());
}

TEST_CASE("reductions") {
  for (const auto& [op, f] : std::vector<std::pair<std::string, OverDims>>{
           {"reduce_min", min}, {"reduce_prod", prod}, {"log_sum_exp", log_sum_exp}})
    CHECK(made_by([f = f](const Value& x, const Value&) { return f(x, {1}); }) == op);
  CHECK(made_by([](const Value& x, const Value&) { return any(x); }, boolean) == "any");
  CHECK(made_by([](const Value& x, const Value&) { return all(x); }, boolean) == "all");
  CHECK(made_by([](const Value& x, const Value&) { return argmin(x); }) == "argmin");
  CHECK(made_by([](const Value& x, const Value&) { return variance(x, {1}, 0); }) == "variance");
  Program net;
  const Value rows = net.input("rows", f32, {batch(8), 3});
  CHECK(variance(rows, {0}, 0).shape() == Shape{3});  // of means, which are exact over devices
  CHECK_THROWS_WITH_AS(variance(rows, {0}, 1), doctest::Contains("is the batch"), Exception);
}
