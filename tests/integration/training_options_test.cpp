// What a training section may ask for beside the optimizer, by hand calculation, on 1 and 2
// devices.
#include <doctest/doctest.h>
#include <penstock/penstock.h>

#include <cmath>
#include <vector>

namespace ps = penstock;

namespace {

/// loss = mean over rows of x w: its gradient is the mean of x, whatever w is.
struct Linear {
  ps::Program net;
  ps::Value loss;
  Linear() {
    const auto x = net.input("x", ps::f64, {ps::batch(4), 2});
    const auto w = net.variable("w", ps::f64, {2, 1}, ps::init::zeros());
    loss = ps::mean(ps::matmul(x, w));
  }
};

/// Rows whose mean is (3, 4).
ps::Tensors rows() {
  return {{"x", ps::Tensor(std::vector<double>{1, 6, 5, 2, 3, 3, 3, 5}, {4, 2})}};
}

struct After {
  std::vector<double> w;
  ps::StepResult step;
};

After one_step(ps::Client& client, unsigned devices, ps::TrainOptions options, bool halves) {
  auto lease = client.lease({.devices = devices});
  Linear model;
  options.optimizer = ps::SGD{.learning_rate = 1};
  auto trainer = lease.train(model.loss, options);
  After after;
  if (halves) {
    trainer.forward_backward(rows());
    after.step = trainer.optimizer_step().get();
  } else {
    after.step = trainer.step(rows()).get();
  }
  after.w = trainer.read("w").to_vector<double>();
  return after;
}

}  // namespace

TEST_CASE("gradients are bounded by value and by their common norm") {
  auto client = ps::Client::local({.devices = 2});
  for (const unsigned devices : {1U, 2U})
    for (const bool halves : {false, true}) {
      CAPTURE(devices);
      CAPTURE(halves);
      // The gradient (3, 4) has a norm of 5; torch divides by 1e-6 more.
      const After norm = one_step(client, devices, {.clip_norm = 1}, halves);
      CHECK(norm.w[0] == doctest::Approx(-3 / (5 + 1e-6)).epsilon(1e-12));
      CHECK(norm.w[1] == doctest::Approx(-4 / (5 + 1e-6)).epsilon(1e-12));
      CHECK(norm.step.metrics.at("gradient_norm") == doctest::Approx(5).epsilon(1e-12));
      const After within = one_step(client, devices, {.clip_norm = 10}, halves);
      CHECK(within.w == std::vector<double>{-3, -4});
      const After value = one_step(client, devices, {.clip_value = 3.5}, halves);
      CHECK(value.w == std::vector<double>{-3, -3.5});
      CHECK(value.step.metrics.count("gradient_norm") == 0);
      const After both = one_step(client, devices, {.clip_value = 3, .clip_norm = 1}, halves);
      CHECK(both.w[0] == doctest::Approx(-3 / (std::sqrt(18) + 1e-6)).epsilon(1e-12));
      CHECK(both.w[1] == both.w[0]);
    }
}

TEST_CASE("bounds that are none are refused") {
  auto client = ps::Client::local({.devices = 1});
  auto lease = client.lease({.devices = 1});
  Linear model;
  CHECK_THROWS_WITH_AS(lease.train(model.loss, {.clip_norm = -1}),
                       doctest::Contains("clip_norm = -1.0 must be a positive number"),
                       ps::Exception);
}

TEST_CASE("Adam and Lion move as their papers say") {
  auto client = ps::Client::local({.devices = 2});
  for (const unsigned devices : {1U, 2U}) {
    auto lease = client.lease({.devices = devices});
    const auto moved = [&](ps::Optimizer optimizer) {
      Linear model;
      auto trainer = lease.train(model.loss, {.optimizer = optimizer});
      trainer.step(rows()).get();
      return trainer.read("w").to_vector<double>();
    };
    // The first step of Adam is the learning rate against the gradient's sign: m / sqrt(v) = 1.
    const auto adam = moved(ps::Adam{.learning_rate = 0.5, .epsilon = 0});
    CHECK(adam[0] == doctest::Approx(-0.5).epsilon(1e-9));
    CHECK(adam[1] == doctest::Approx(-0.5).epsilon(1e-9));
    CHECK(moved(ps::Lion{.learning_rate = 0.25}) == std::vector<double>{-0.25, -0.25});
  }
}
