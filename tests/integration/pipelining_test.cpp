#include <doctest/doctest.h>
#include <penstock/penstock.h>

#include <chrono>

#include "tests/support/delay_proxy.h"
#include "tests/support/pool.h"

namespace ps = penstock;
using namespace penstock::testing;

TEST_CASE("steps behind a slow link do not wait for one another's round trip") {
  Pool pool;
  constexpr std::chrono::milliseconds kDelay(50);
  DelayProxy proxy(pool.port(), kDelay);
  auto client = ps::Client::connect({.url = pool.url(proxy.port()), .key = pool.key()});
  auto lease = client.lease({.devices = 2, .lane = ps::LaneKind::relay});
  ps::Program net;
  auto x = net.input("x", ps::f32, {ps::batch(64), 784});
  auto y = net.input("y", ps::i32, {ps::batch(64)});
  auto trainer = lease.train(ps::cross_entropy(ps::nn::mlp(net, x, {64, 10}), y));
  auto batches = ps::data::fashion_mnist().batches(64);
  constexpr int kSteps = 200;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) {
    const auto batch = batches.next();
    trainer.step({{"x", batch->images}, {"y", batch->labels}});
  }
  trainer.finish();
  const auto spent = std::chrono::steady_clock::now() - begin;
  const auto metrics = trainer.metrics();
  CHECK(metrics.steps == kSteps);
  // The proxy really delays: no call can be answered in less than two delays.
  CHECK(metrics.round_trip >= 2 * kDelay);
  // One by one the calls would take this long at least; pipelined they take a small part of it.
  CHECK(spent < kSteps * 2 * kDelay / 2);
}

TEST_CASE("the direct lane is used where it answers, and the relay where it does not") {
  Pool pool;
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  {
    auto lease = client.lease({.devices = 1});
    CHECK(lease.lane_kind() == ps::LaneKind::direct);
  }
  auto lease = client.lease({.devices = 1, .lane = ps::LaneKind::relay});
  CHECK(lease.lane_kind() == ps::LaneKind::relay);
}
