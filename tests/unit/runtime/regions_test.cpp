#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "launching.h"

// Right values are printed by torch 1.13 in f64 (torch.optim.SGD, torch.optim.AdamW,
// torch.nn.functional) for the parameters, gradients and options written below.

using namespace penstock;
using namespace penstock::runtime;
using program::Attributes;

namespace {

const std::vector<double> kParameters = {1.0, -2.0, 0.5, 3.0, -0.25};

template <class T>
std::vector<T> converted(const std::vector<double>& values) {
  std::vector<T> out;
  for (double v : values) out.push_back(static_cast<T>(v));
  return out;
}

template <class T>
Tensor<T> gradients(double step) {
  return {{5}, converted<T>({0.5 * step, -1.25, 2.0 / step, 0.0, -0.001 * step})};
}

template <class T>
void check_near(const std::vector<T>& got, const std::vector<double>& want, double tolerance) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    CHECK(std::abs(static_cast<double>(got[i]) - want[i]) <= tolerance);
  }
}

template <class T>
void check_sgd(double tolerance) {
  Launcher launcher;
  Tensor<T> p({5}, converted<T>(kParameters)), momentum({5});
  Tensor<double> learning_rate({}, {0.1});
  const Attributes options = {{"momentum", 0.9}, {"weight_decay", 0.01}};
  for (int step = 1; step <= 3; ++step) {
    Tensor<T> g = gradients<T>(step);
    REQUIRE(launcher
                .region("sgd", options, {p.view(), g.view(), momentum.view(), learning_rate.view()},
                        {p.view(), momentum.view()})
                .ok());
  }
  check_near(p.values,
             {0.5191847489999999, -1.288139473, -0.30060946716666676, 2.983184397, -0.24764827965},
             tolerance);
  check_near(
      momentum.values,
      {2.8296625100000004, -3.43687527, 3.193599671666667, 0.08118602999999999, -0.0123707035},
      tolerance);
}

template <class T>
void check_adamw(double tolerance) {
  Launcher launcher;
  Tensor<T> p({5}, converted<T>(kParameters)), m({5}), v({5});
  Tensor<double> learning_rate({}, {0.01});
  const Attributes options = {
      {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}, {"weight_decay", 0.05}};
  for (int step = 1; step <= 3; ++step) {
    Tensor<T> g = gradients<T>(step);
    Tensor<std::int64_t> count({}, {step});
    REQUIRE(
        launcher
            .region("adamw", options,
                    {p.view(), g.view(), m.view(), v.view(), count.view(), learning_rate.view()},
                    {p.view(), m.view(), v.view()})
            .ok());
  }
  check_near(p.values,
             {0.9692837411964048, -1.9670164974898803, 0.4712116518379043, 2.9955022496250003,
              -0.22040838361607634},
             tolerance);
  check_near(
      m.values,
      {0.28049999999999997, -0.3387499999999999, 0.3186666666666666, 0.0, -0.0005609999999999999},
      tolerance);
  check_near(v.values,
             {0.003498500250000003, 0.004682814062500004, 0.005435448444444449, 0.0,
              1.3994001000000013e-08},
             tolerance);
}

template <class T>
Tensor<T> logits() {
  return {{3, 3}, converted<T>({1, 2, 3, 1000, 0, -1000, -1, -1, -1})};
}

template <class T>
void check_cross_entropy(double tolerance) {
  Launcher launcher;
  Tensor<T> x = logits<T>(), losses({3}), dx({3, 3}), soft({3, 3}), log_soft({3, 3});
  Tensor<T> g({3}, converted<T>({1.0, 0.5, -2.0}));
  Tensor<std::int32_t> labels({3}, {2, 1, 0});
  REQUIRE(launcher.region("cross_entropy", {}, {x.view(), labels.view()}, {losses.view()}).ok());
  check_near(losses.values, {0.4076059644443804, 1000.0, 1.0986122886681098}, tolerance);
  REQUIRE(
      launcher
          .region("cross_entropy_gradient", {}, {x.view(), labels.view(), g.view()}, {dx.view()})
          .ok());
  check_near(dx.values,
             {0.09003057317038043, 0.24472847105479764, -0.3347590442251782, 0.5, -0.5, 0.0,
              1.3333333333333335, -0.6666666666666666, -0.6666666666666666},
             tolerance);
  REQUIRE(launcher.region("softmax", {}, {x.view()}, {soft.view()}).ok());
  check_near(soft.values,
             {0.09003057317038045, 0.2447284710547976, 0.6652409557748218, 1.0, 0.0, 0.0, 1.0 / 3,
              1.0 / 3, 1.0 / 3},
             tolerance);
  REQUIRE(launcher.region("log_softmax", {}, {x.view()}, {log_soft.view()}).ok());
  check_near(log_soft.values,
             {-2.4076059644443806, -1.4076059644443804, -0.4076059644443804, 0.0, -1000.0, -2000.0,
              -1.0986122886681098, -1.0986122886681098, -1.0986122886681098},
             tolerance);
}

}  // namespace

TEST_CASE("three steps of sgd with momentum and decay agree with torch") {
  check_sgd<double>(1e-12);
  check_sgd<float>(1e-6);
}

TEST_CASE("three steps of adamw agree with torch") {
  check_adamw<double>(1e-12);
  check_adamw<float>(1e-6);
}

TEST_CASE("cross entropy, its gradient and both softmaxes agree with torch") {
  check_cross_entropy<double>(1e-12);
  check_cross_entropy<float>(1e-6);
}

TEST_CASE("a label out of range makes a NaN loss and touches nothing outside") {
  Tensor<float> x({3, 2}, {1, 2, 3, 4, 5, 6}), losses({3});
  Tensor<std::int64_t> labels({3}, {2, 1, -1});
  REQUIRE(Launcher().region("cross_entropy", {}, {x.view(), labels.view()}, {losses.view()}).ok());
  CHECK(std::isnan(losses.values[0]));
  CHECK(losses.values[1] == doctest::Approx(std::log(1 + std::exp(-1.0))));
  CHECK(std::isnan(losses.values[2]));
}

TEST_CASE("a softmax of infinite logits follows IEEE 754") {
  const float infinity = std::numeric_limits<float>::infinity();
  Tensor<float> x({2, 2}, {-infinity, 0, -infinity, -infinity}), y({2, 2});
  REQUIRE(Launcher().region("softmax", {}, {x.view()}, {y.view()}).ok());
  CHECK(y.values[0] == 0);
  CHECK(y.values[1] == 1);
  CHECK(std::isnan(y.values[2]));
}

TEST_CASE("wide rows do not lose the sum of their exponentials") {
  Tensor<float> x({1, 1000}), losses({1});
  Tensor<std::int64_t> labels({1}, {999});
  REQUIRE(Launcher().region("cross_entropy", {}, {x.view(), labels.view()}, {losses.view()}).ok());
  CHECK(losses.values[0] == doctest::Approx(std::log(1000.0)).epsilon(1e-6));
}

TEST_CASE("regions of no rows succeed") {
  Tensor<float> x({0, 4}), y({0, 4}), losses({0}), p({0});
  Tensor<std::int64_t> labels({0});
  Launcher launcher;
  CHECK(launcher.region("softmax", {}, {x.view()}, {y.view()}).ok());
  CHECK(launcher.region("cross_entropy", {}, {x.view(), labels.view()}, {losses.view()}).ok());
}

TEST_CASE("the cpu backend claims regions in f32 and f64 only") {
  CpuBackend backend({.threads = 1, .memory_bytes = 1});
  const auto claims = [&](program::DType dtype) {
    const std::vector<program::TensorType> types = {{dtype, {3, 4}}};
    const Attributes none;
    return backend.claims(*program::find_op("softmax"), {types, none});
  };
  CHECK(claims(program::DType::f32));
  CHECK(claims(program::DType::f64));
  CHECK_FALSE(claims(program::DType::bf16));
}
