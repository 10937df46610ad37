// Training from the same initial weights as torch, on 1, 2 and 3 devices. The expected losses and
// the script that made them are in tests/data/torch/.
#include <doctest/doctest.h>
#include <penstock/penstock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace ps = penstock;

namespace {

// 200; fewer under sanitizers, where every step costs ten times as much.
const int kSteps = std::getenv("PENSTOCK_AGREEMENT_STEPS") != nullptr
                       ? std::atoi(std::getenv("PENSTOCK_AGREEMENT_STEPS"))
                       : 200;
constexpr std::int64_t kBatch = 96;

std::vector<double> torch_losses(const std::string& name) {
  std::ifstream in(std::string(PENSTOCK_TEST_DATA) + "/torch/" + name + ".txt");
  std::vector<double> losses;
  for (double loss = 0; in >> loss;) losses.push_back(loss);
  REQUIRE_MESSAGE(losses.size() == 200, name);
  losses.resize(static_cast<std::size_t>(kSteps));
  return losses;
}

ps::Optimizer optimizer(const std::string& name) {
  if (name == "sgd") return ps::SGD{.learning_rate = 0.003, .momentum = 0.9};
  return ps::AdamW{.learning_rate = 1e-3, .weight_decay = 0.01};
}

struct Case {
  std::string model, optimizer;
  ps::DType dtype;
  std::int64_t micro_batches = 1;
};

std::vector<double> train(ps::Client& client, unsigned devices, const Case& c) {
  auto lease = client.lease({.devices = devices});
  ps::Program net;
  net.seed(7);
  auto images = net.input("x", ps::f32, {ps::batch(kBatch), 784});
  auto labels = net.input("y", ps::i32, {ps::batch(kBatch)});
  auto x = c.dtype == ps::f32 ? images : ps::cast(images, c.dtype);
  auto logits = c.model == "mlp" ? ps::nn::mlp(net, x, {512, 256, 10}) : ps::nn::convnet(net, x);
  auto trainer =
      lease.train(ps::cross_entropy(logits, labels),
                  {.optimizer = optimizer(c.optimizer), .micro_batches = c.micro_batches});
  std::vector<ps::Future<ps::StepResult>> results;
  auto data = ps::data::fashion_mnist();
  for (const auto& batch : data.first(kSteps * kBatch).batches(kBatch, {.shuffle = false}))
    results.push_back(trainer.step({{"x", batch.images}, {"y", batch.labels}}));
  std::vector<double> losses;
  for (const auto& result : results) losses.push_back(result.get().loss);
  REQUIRE(losses.size() == static_cast<std::size_t>(kSteps));
  return losses;
}

double worst_relative(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]) / std::abs(b[i]));
  return worst;
}

void agrees_in_f64(const std::string& model, const std::string& optimizer_name) {
  auto client = ps::Client::local({.devices = 3});
  const auto expected = torch_losses(model + "_" + optimizer_name + "_f64");
  const Case c{model, optimizer_name, ps::f64};
  const auto one = train(client, 1, c);
  CHECK(worst_relative(one, expected) < 1e-6);
  for (const unsigned devices : {2U, 3U}) {
    CAPTURE(devices);
    const auto more = train(client, devices, c);
    CHECK(worst_relative(more, expected) < 1e-6);
    CHECK(worst_relative(more, one) < 1e-9);
  }
}

void agrees_in_f32(const std::string& model, const std::string& optimizer_name) {
  auto client = ps::Client::local({.devices = 3});
  const auto expected = torch_losses(model + "_" + optimizer_name + "_f32");
  for (const unsigned devices : {1U, 2U, 3U}) {
    const auto losses = train(client, devices, {model, optimizer_name, ps::f32});
    for (int begin = 0; begin < kSteps; begin += 20) {
      CAPTURE(devices);
      CAPTURE(begin);
      double mine = 0, theirs = 0;
      for (int i = begin; i < std::min(begin + 20, kSteps); ++i) {
        mine += losses[static_cast<std::size_t>(i)];
        theirs += expected[static_cast<std::size_t>(i)];
      }
      CHECK(std::abs(mine - theirs) < 0.01 * theirs);
    }
  }
}

}  // namespace

TEST_CASE("an MLP trains as in torch, AdamW in f64") {
  agrees_in_f64("mlp", "adamw");
}
TEST_CASE("an MLP trains as in torch, SGD in f64") {
  agrees_in_f64("mlp", "sgd");
}
TEST_CASE("a convnet trains as in torch, SGD in f64") {
  agrees_in_f64("convnet", "sgd");
}
TEST_CASE("an MLP trains as in torch, AdamW in f32") {
  agrees_in_f32("mlp", "adamw");
}
TEST_CASE("a convnet trains as in torch, SGD in f32") {
  agrees_in_f32("convnet", "sgd");
}

TEST_CASE("accumulation over micro-batches gives the same losses as the whole batch") {
  auto client = ps::Client::local({.devices = 2});
  const auto expected = torch_losses("mlp_adamw_f64");
  const auto losses = train(client, 2, {"mlp", "adamw", ps::f64, 4});
  CHECK(worst_relative(losses, expected) < 1e-6);
}
