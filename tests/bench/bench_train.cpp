// One measurement of training through the whole of Penstock; prints one JSON line.
// tests/bench/train.py runs it alternately with the peer.
#include <penstock/penstock.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/delay_proxy.h"
#include "tests/support/pool.h"

namespace ps = penstock;
using namespace penstock::testing;

namespace {

using SteadyClock = std::chrono::steady_clock;

struct Arguments {
  std::string model = "mlp";
  unsigned devices = 2;
  double seconds = 5;
  int proxy_ms = -1;  // below 0: a local pool; else a TCP pool behind a proxy with that delay
  bool start = false;
};

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

struct Pooled {
  std::unique_ptr<Pool> pool;
  std::unique_ptr<DelayProxy> proxy;
};

ps::Client connect(const Arguments& arguments, Pooled& pooled) {
  if (arguments.proxy_ms < 0) return ps::Client::local({.devices = arguments.devices});
  pooled.pool = std::make_unique<Pool>(PoolOptions{.devices = arguments.devices});
  pooled.proxy = std::make_unique<DelayProxy>(pooled.pool->port(),
                                              std::chrono::milliseconds(arguments.proxy_ms));
  return ps::Client::connect(
      {.url = pooled.pool->url(pooled.proxy->port()), .key = pooled.pool->key()});
}

ps::Trainer make_trainer(ps::Lease& lease, const std::string& model, std::int64_t batch) {
  ps::Program net;
  auto x = net.input("x", ps::f32, {ps::batch(batch), 784});
  auto y = net.input("y", ps::i32, {ps::batch(batch)});
  auto logits = model == "mlp" ? ps::nn::mlp(net, x, {512, 256, 10}) : ps::nn::convnet(net, x);
  return lease.train(ps::cross_entropy(logits, y), {.optimizer = ps::AdamW{.learning_rate = 1e-3}});
}

int run(const Arguments& arguments) {
  constexpr std::int64_t kBatch = 128;
  const auto begin = SteadyClock::now();
  Pooled pooled;
  auto client = connect(arguments, pooled);
  auto lease = client.lease(
      {.devices = arguments.devices,
       .lane = arguments.proxy_ms < 0 ? ps::LaneKind::automatic : ps::LaneKind::relay});
  auto trainer = make_trainer(lease, arguments.model, kBatch);
  auto batches = ps::data::fashion_mnist().batches(kBatch, {.epochs = 1000});
  const auto step = [&]() {
    const auto batch = batches.next();
    return trainer.step({{"x", batch->images}, {"y", batch->labels}});
  };
  step().get();
  if (arguments.start) {
    std::printf("{\"first_step_s\": %.4f}\n", seconds_since(begin));
    return 0;
  }
  for (int i = 0; i < 100; ++i) step();  // fills the window, whatever its size
  trainer.finish();

  // Windows of half a second by the clock of this process, counting answered steps.
  std::vector<double> rates;
  const auto start = SteadyClock::now();
  auto window_begin = start;
  auto steps_before = trainer.progress().steps;
  while (seconds_since(start) < arguments.seconds || rates.empty()) {
    step();
    if (seconds_since(window_begin) < 0.5) continue;
    const auto steps = trainer.progress().steps;
    rates.push_back(static_cast<double>(steps - steps_before) * kBatch /
                    seconds_since(window_begin));
    steps_before = steps;
    window_begin = SteadyClock::now();
  }
  trainer.finish();
  std::sort(rates.begin(), rates.end());
  std::printf("{\"images_per_s\": %.1f, \"min\": %.1f, \"max\": %.1f}\n", rates[rates.size() / 2],
              rates.front(), rates.back());
  return 0;
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--start") {
      out.start = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::string value = argv[++i];
    if (name == "--model") {
      out.model = value;
    } else if (name == "--devices") {
      out.devices = static_cast<unsigned>(std::stoul(value));
    } else if (name == "--seconds") {
      out.seconds = std::stod(value);
    } else if (name == "--proxy-ms") {
      out.proxy_ms = std::stoi(value);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    std::fprintf(stderr,
                 "usage: bench_train [--model mlp|convnet] [--devices N] [--seconds S] "
                 "[--proxy-ms MS] [--start]\n");
    return 2;
  }
  try {
    return run(*arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_train: %s\n", error.what());
    return 1;
  }
}
