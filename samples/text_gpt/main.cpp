// A byte-level GPT learns to continue a text on two leased devices.
#include <penstock/penstock.h>

#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace ps = penstock;

namespace {

constexpr std::int64_t kRows = 12, kLength = 64;

ps::Tensors inputs_of(const ps::data::TextBatch& batch) {
  return {{"tokens", batch.tokens}, {"targets", batch.targets}};
}

/// Mean loss over the windows of a text, one behind the other.
double loss_on(ps::Trainer& trainer, const ps::data::Text& text) {
  std::vector<ps::Future<ps::StepResult>> results;
  const std::int64_t batches = (text.windows(kLength) + kRows - 1) / kRows;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(batches, 100); ++i)
    results.push_back(trainer.evaluate(inputs_of(text.in_order(i, kRows, kLength))));
  double sum = 0, rows = 0;
  for (const auto& future : results) {
    const auto result = future.get();
    sum += result.loss * static_cast<double>(result.rows);
    rows += static_cast<double>(result.rows);
  }
  return sum / rows;
}

int run(const std::string& path, std::int64_t steps, bool local) {
  const auto text = ps::value_or_throw(ps::data::Text::bytes_of(path));
  const std::int64_t learnt = text.size() * 9 / 10;
  const auto train = text.part(0, learnt), held_back = text.part(learnt, text.size());

  auto client = local ? ps::Client::local({.devices = 2}) : ps::Client::connect();
  auto lease = client.lease({.devices = 2});
  ps::Program net;
  net.seed(1);
  auto tokens = net.input("tokens", ps::i32, {ps::batch(kRows), kLength});
  auto targets = net.input("targets", ps::i32, {ps::batch(kRows), kLength});
  auto logits = ps::models::gpt(net, tokens, ps::models::GptOptions::preset("small"));
  auto trainer = lease.train(ps::models::next_token_loss(logits, targets),
                             {.optimizer = ps::AdamW{.learning_rate = 1e-3}});

  const double before = loss_on(trainer, held_back);
  for (std::int64_t step = 0; step < steps; ++step)
    trainer.step(inputs_of(train.random(step, kRows, kLength)));  // nothing waits here
  const double after = loss_on(trainer, held_back);
  std::cout << trainer.metrics() << "loss on what was held back: " << before << " before, " << after
            << " after " << steps << " steps\n"
            << lease.bill();
  return after < before ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool local = std::erase(arguments, "--local") > 0;
  if (arguments.empty() || arguments.size() > 2) {
    std::cerr << "usage: sample_text_gpt [--local] FILE [STEPS]\n";
    return 2;
  }
  try {
    return run(arguments[0], arguments.size() > 1 ? std::stoll(arguments[1]) : 1000, local);
  } catch (const std::exception& exception) {
    std::cerr << exception.what() << "\n";
    return 1;
  }
}
