// Transformers trained from the same weights as torch, on 1 and 2 devices. The expected losses, the
// script that made them, and the rules for weights and tokens are in tests/data/torch/.
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

// 100; fewer under sanitizers, where every step costs ten times as much.
const std::size_t kSteps =
    std::getenv("PENSTOCK_AGREEMENT_STEPS") != nullptr
        ? static_cast<std::size_t>(std::atoi(std::getenv("PENSTOCK_AGREEMENT_STEPS")))
        : 100;
constexpr std::int64_t kRows = 8, kLength = 16, kVocabulary = 64;

std::vector<double> torch_losses(const std::string& name) {
  std::ifstream in(std::string(PENSTOCK_TEST_DATA) + "/torch/" + name + ".txt");
  std::vector<double> losses;
  for (double loss = 0; in >> loss;) losses.push_back(loss);
  REQUIRE_MESSAGE(losses.size() == 100, name);
  losses.resize(kSteps);
  return losses;
}

double mix(std::uint32_t i, std::uint32_t k) {
  std::uint32_t x = i * 2654435761U + k * 40503U + 1;
  x = (x ^ x >> 16) * 2246822519U;
  x = (x ^ x >> 13) * 3266489917U;
  return x ^ x >> 16;
}

template <class T>
ps::Tensor weight(const ps::Extents& shape, std::uint32_t k, bool scale) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  std::vector<T> values;
  for (std::uint32_t i = 0; i < n; ++i)
    values.push_back(static_cast<T>(0.2 * (mix(i, k) / 4294967296.0 - 0.5) + (scale ? 1 : 0)));
  return ps::Tensor(std::move(values), shape);
}

void write_weights(ps::Trainer& trainer, ps::DType dtype) {
  auto variables = trainer.variables();
  std::erase_if(variables, [](const ps::VariableInfo& v) { return !v.trainable; });
  std::sort(variables.begin(), variables.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::uint32_t k = 0; k < variables.size(); ++k) {
    const auto& v = variables[k];
    const bool scale = v.name.size() > 5 && v.name.substr(v.name.size() - 5) == "scale";
    trainer.write(v.name, dtype == ps::f64 ? weight<double>(v.shape, k, scale)
                                           : weight<float>(v.shape, k, scale));
  }
}

/// Tokens from place `first` on, which is 1 for the targets.
ps::Tensor tokens(std::int64_t step, std::int64_t first) {
  std::vector<std::int32_t> values;
  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t p = first; p < first + kLength; ++p)
      values.push_back(
          static_cast<std::int32_t>((131 * step + 17 * r + 7 * p * p + 3 * p) % kVocabulary));
  return ps::Tensor(std::move(values), {kRows, kLength});
}

ps::Value logits_of(ps::Program& net, const std::string& model, const ps::Value& x,
                    ps::DType dtype) {
  if (model == "gpt")
    return ps::models::gpt(net, x,
                           {.vocabulary = kVocabulary,
                            .context = kLength,
                            .layers = 2,
                            .heads = 4,
                            .width = 32,
                            .dtype = dtype});
  return ps::models::llama(net, x,
                           {.vocabulary = kVocabulary,
                            .layers = 2,
                            .heads = 4,
                            .key_heads = 2,
                            .width = 32,
                            .hidden = 48,
                            .dtype = dtype});
}

std::vector<double> train(ps::Client& client, unsigned devices, const std::string& model,
                          ps::DType dtype) {
  auto lease = client.lease({.devices = devices});
  ps::Program net;
  const auto x = net.input("x", ps::i32, {ps::batch(kRows), kLength});
  const auto y = net.input("y", ps::i32, {ps::batch(kRows), kLength});
  const auto loss = ps::models::next_token_loss(logits_of(net, model, x, dtype), y);
  auto trainer =
      lease.train(loss, {.optimizer = ps::AdamW{.learning_rate = 1e-3, .weight_decay = 0.01}});
  write_weights(trainer, dtype);
  std::vector<ps::Future<ps::StepResult>> results;
  for (std::int64_t step = 0; step < static_cast<std::int64_t>(kSteps); ++step)
    results.push_back(trainer.step({{"x", tokens(step, 0)}, {"y", tokens(step, 1)}}));
  std::vector<double> losses;
  for (const auto& result : results) losses.push_back(result.get().loss);
  return losses;
}

void agrees(const std::string& model) {
  auto client = ps::Client::local({.devices = 2});
  const auto expected = torch_losses(model + "_adamw_f64");
  const auto one = train(client, 1, model, ps::f64), two = train(client, 2, model, ps::f64);
  for (std::size_t i = 0; i < kSteps; ++i) {
    CAPTURE(i);
    CHECK(std::abs(one[i] - expected[i]) < 1e-6 * expected[i]);
    CHECK(std::abs(two[i] - one[i]) < 1e-9 * one[i]);
  }
  const auto single = torch_losses(model + "_adamw_f32");
  const auto losses = train(client, 2, model, ps::f32);
  for (std::size_t begin = 0; begin < kSteps; begin += 20) {
    CAPTURE(begin);
    double mine = 0, theirs = 0;
    for (std::size_t i = begin; i < std::min(begin + 20, kSteps); ++i) {
      mine += losses[i];
      theirs += single[i];
    }
    CHECK(std::abs(mine - theirs) < 0.01 * theirs);
  }
}

}  // namespace

TEST_CASE("a GPT trains as in torch") {
  agrees("gpt");
}
TEST_CASE("a Llama trains as in torch") {
  agrees("llama");
}
