#include "tests/support/pool.h"

#include <doctest/doctest.h>
#include <penstock/penstock.h>
#include <signal.h>

#include <cmath>
#include <functional>
#include <string>

namespace ps = penstock;
using namespace penstock::testing;

namespace {

ps::Trainer small_trainer(ps::Lease& lease) {
  ps::Program net;
  auto x = net.input("x", ps::f32, {ps::batch(32), 784});
  auto y = net.input("y", ps::i32, {ps::batch(32)});
  return lease.train(ps::cross_entropy(ps::nn::mlp(net, x, {32, 10}), y));
}

ps::Tensors batch_of(std::int64_t rows) {
  auto batches = ps::data::fashion_mnist().batches(rows);
  const auto batch = batches.next();
  return {{"x", batch->images}, {"y", batch->labels}};
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const ps::Exception& exception) {
    return exception.what();
  }
  return "";
}

}  // namespace

TEST_CASE("two executors give one lease, and its ranks reach each other") {
  Pool pool({.devices = 1, .executors = 2});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  auto lease = client.lease({.devices = 2});
  CHECK(lease.info().devices[0].executor != lease.info().devices[1].executor);
  auto trainer = small_trainer(lease);
  CHECK(trainer.step(batch_of(32)).get().loss > 0);
}

TEST_CASE("a lease that no pool could give is refused at once with both numbers") {
  Pool pool({.devices = 2});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  const std::string error = error_of([&] { client.lease({.devices = 5}); });
  CHECK(error.find("5") != std::string::npos);
  CHECK(error.find("2") != std::string::npos);
}

TEST_CASE("a request waits its turn and gets the devices when they are released") {
  Pool pool({.devices = 1});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  {
    auto first = client.lease({.devices = 1});
    CHECK(!error_of([&] {
             client.lease({.devices = 1, .max_wait = std::chrono::milliseconds(300)});
           }).empty());
  }
  auto second = client.lease({.devices = 1});
  CHECK(second.info().epoch > 0);
}

TEST_CASE("the bill is device time at the price of the lease, and usage shows it") {
  Pool pool({.devices = 2});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  auto lease = client.lease({.devices = 2});
  auto trainer = small_trainer(lease);
  for (int i = 0; i < 20; ++i) trainer.step(batch_of(32));
  trainer.finish();
  const auto mine = trainer.metrics().usage;
  CHECK(mine.steps == 20);
  CHECK(mine.bytes_in == 20 * 32 * (784 * 4 + 4));
  const auto bill = lease.release();
  CHECK(bill.usage.device_time == mine.device_time);
  CHECK(bill.usage.bytes_in == mine.bytes_in);
  // Recomputed by hand from quantity and price: each line is rounded once.
  const auto price = lease.info().price;
  const double device = static_cast<double>(bill.usage.device_time.count()) * 1e-9 *
                        static_cast<double>(price.per_device_second.nanos);
  const double out = static_cast<double>(bill.usage.bytes_out) / 1073741824.0 *
                     static_cast<double>(price.per_gib_out.nanos);
  CHECK(std::abs(static_cast<double>(bill.total.nanos) - device - out) <= 1.0);
  const auto usage = client.usage();
  REQUIRE(usage.size() == 1);
  CHECK(usage[0].usage.price == bill.total);
  CHECK(usage[0].usage.steps == 20);
}

TEST_CASE("a wrong key, a revoked key and a wrong certificate are refused with the reason") {
  Pool pool({.devices = 1});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  CHECK(!error_of([&] { ps::Client::connect({.url = pool.url(), .key = "psk_1_wrong"}); }).empty());
  const auto key = client.create_key("laptop", "team-a");
  auto other = ps::Client::connect({.url = pool.url(), .key = key.secret});
  CHECK(other.account() == "team-a");
  client.revoke_key(key.id);
  CHECK(!error_of([&] { other.lease({.devices = 1}); }).empty());
  CHECK(!error_of([&] { ps::Client::connect({.url = pool.url(), .key = key.secret}); }).empty());
  const std::string wrong = "penstock://127.0.0.1:" + std::to_string(pool.port()) +
                            "?fingerprint=" + std::string(64, 'a');
  const std::string error =
      error_of([&] { ps::Client::connect({.url = wrong, .key = pool.key()}); });
  CHECK(error.find(pool.fingerprint()) != std::string::npos);
}

TEST_CASE("a worker that is killed ends its lease with an error, and the pool recovers") {
  Pool pool({.devices = 2});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  {
    auto lease = client.lease({.devices = 2});
    auto trainer = small_trainer(lease);
    trainer.step(batch_of(32)).get();
    const auto workers = children_of(pool.agent(0).pid());
    REQUIRE(workers.size() >= 2);
    for (const auto& worker : workers) kill(worker.pid, SIGKILL);
    CHECK(!error_of([&] {
             for (int i = 0; i < 3; ++i) trainer.step(batch_of(32)).get(std::chrono::seconds(60));
           }).empty());
  }
  auto again = client.lease({.devices = 2});
  auto trainer = small_trainer(again);
  CHECK(trainer.step(batch_of(32)).get().loss > 0);
}

TEST_CASE("a short last batch on several devices counts its true rows") {
  Pool pool({.devices = 2});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  std::vector<double> losses;
  for (const unsigned devices : {1U, 2U}) {
    auto lease = client.lease({.devices = devices});
    auto trainer = small_trainer(lease);
    trainer.step(batch_of(32));
    trainer.step(batch_of(7));
    losses.push_back(trainer.step(batch_of(1)).get().loss);
  }
  CHECK(losses[0] == doctest::Approx(losses[1]).epsilon(1e-5));
}

TEST_CASE("/healthz says how many devices are free") {
  Pool pool({.devices = 2});
  const auto answer =
      run_program({"/usr/bin/curl", "-s", "http://" + pool.http() + "/healthz"}, 10);
  CHECK(answer.code == 0);
  CHECK(answer.output ==
        "{\"status\":\"ok\",\"executors\":1,\"devices\":2,\"devices_free\":2,\"leases\":0}\n");
}
