#include <doctest/doctest.h>
#include <penstock/penstock.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "tests/support/pool.h"

namespace ps = penstock;
using namespace penstock::testing;
using namespace std::chrono_literals;

namespace {

/// Counts its runs in a variable, and says when it has come to `limit`.
ps::Program counter(double limit) {
  ps::Program net;
  const auto n = net.variable("n", ps::i64, {}, ps::init::zeros(), {.trainable = false});
  auto entry = net.entry("count");
  const auto by = entry.input("by", ps::i64, {});
  const auto next = n + by;
  entry.output("n", next);
  entry.output("over", ps::greater(next, next * 0 + (limit - 1)));
  entry.assign(n, next);
  return net;
}

/// What came of each run, gathered on the client's thread.
class Seen {
 public:
  bool add(const ps::RunResult& result) {
    const std::lock_guard lock(mutex_);
    values_.push_back(static_cast<std::int64_t>(result.outputs.at("n").item()));
    return values_.size() < most_;
  }
  std::vector<std::int64_t> values() const {
    const std::lock_guard lock(mutex_);
    return values_;
  }
  std::size_t most_ = 1000;

 private:
  mutable std::mutex mutex_;
  std::vector<std::int64_t> values_;
};

ps::Tensors by(std::int64_t n) {
  return {{"by", ps::Tensor(n)}};
}

}  // namespace

TEST_CASE("an entry is repeated as one call, and every run's result comes in order") {
  Pool pool;
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  for (const unsigned devices : {1U, 2U}) {
    CAPTURE(devices);
    auto lease = client.lease({.devices = devices});
    auto program = lease.load(counter(1000));
    Seen seen;
    const auto on_run = [&](const ps::RunResult& run) { return seen.add(run); };
    auto all = program.repeat("count", by(3), {.most = 5, .on_run = on_run});
    // Calls behind a repetition wait for its last run.
    auto after = program.run("count", by(100));
    CHECK(all.get(30s).outputs.at("n").item() == 15);
    CHECK(seen.values() == std::vector<std::int64_t>{3, 6, 9, 12, 15});
    CHECK(after.get(30s).outputs.at("n").item() == 115);
    CHECK(program.read("n").item() == 115);
  }
}

TEST_CASE("a repetition ends right after the run that says so, on every device") {
  Pool pool;
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  for (const unsigned devices : {1U, 2U}) {
    CAPTURE(devices);
    auto lease = client.lease({.devices = devices});
    auto program = lease.load(counter(7));
    Seen seen;
    auto all = program.repeat("count", by(2),
                              {.most = 1000, .until = "over", .on_run = [&](ps::RunResult run) {
                                 return seen.add(run);
                               }});
    CHECK(all.get(30s).outputs.at("n").item() == 8);
    CHECK(seen.values() == std::vector<std::int64_t>{2, 4, 6, 8});
    CHECK(program.read("n").item() == 8);  // nothing ran on behind the scenes
    // The next repetition begins afresh: it has its first run although the condition holds.
    CHECK(program.repeat("count", by(2), {.most = 3, .until = "over"})
              .get(30s)
              .outputs.at("n")
              .item() == 10);
  }
}

TEST_CASE("who has heard enough ends a repetition, and the lane goes on") {
  Pool pool;
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  auto lease = client.lease({.devices = 2});
  auto program = lease.load(counter(1e9));
  Seen seen;
  seen.most_ = 3;
  auto all = program.repeat("count", by(1), {.most = 1'000'000, .on_run = [&](ps::RunResult run) {
                                               return seen.add(run);
                                             }});
  const double last = all.get(30s).outputs.at("n").item();
  CHECK(last >= 3);
  CHECK(last < 1000);  // some results may have been on their way
  CHECK(program.read("n").item() == last);
}

TEST_CASE("a repetition that cannot be is refused with the reason") {
  Pool pool;
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  const auto message = [&](const ps::RepeatOptions& options) {
    auto lease = client.lease({.devices = 1});
    auto program = lease.load(counter(7));
    const auto result = program.repeat("count", by(1), options).try_get(30s);
    return result.ok() ? "it ran" : result.error().message;
  };
  CHECK(message({.most = 0}).find("0 runs; from 1 to 1000000") != std::string::npos);
  CHECK(message({.most = 5, .until = "oven"}).find("no output 'oven'") != std::string::npos);
  CHECK(message({.most = 5, .until = "n"}).find("'n' is i64[]") != std::string::npos);
}

TEST_CASE("the first result is with the client before the last is computed") {
  // A device that sleeps for its compute time: 2 * 512^3 FLOP at 5 GFLOP/s are 54 ms a run.
  Pool pool({.devices = 1,
             .agent_arguments = {"--backend", "null", "--worker-argument=--null-flops=5e9",
                                 "--worker-argument=--null-sleep"}});
  auto client = ps::Client::connect({.url = pool.url(), .key = pool.key()});
  auto lease = client.lease({.devices = 1, .device_class = "null"});
  ps::Program net;
  const auto x = net.input("x", ps::f32, {512, 512});
  net.output("y", ps::mean(ps::matmul(x, x), {0, 1}));
  auto program = lease.load(net);
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> arrivals;
  std::mutex mutex;
  auto all = program.repeat("main", {{"x", ps::Tensor::zeros(ps::f32, {512, 512})}},
                            {.most = 10, .on_run = [&](const ps::RunResult&) {
                               const std::lock_guard lock(mutex);
                               arrivals.push_back(Clock::now());
                               return true;
                             }});
  all.get(30s);
  const auto end = Clock::now();
  const std::lock_guard lock(mutex);
  REQUIRE(arrivals.size() == 10);
  CHECK(end - arrivals[0] > 8 * 50ms);  // nine runs of 54 ms were still to come
}
