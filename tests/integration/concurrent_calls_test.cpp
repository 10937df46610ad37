// Trainers and executables as many threads use them, and calls that are given up.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "penstock/penstock.h"
#include "tests/support/program.h"

using namespace penstock;

namespace {

Client two_devices() {
  setenv("PENSTOCK_BIN_DIR", PENSTOCK_TEST_BIN, 1);
  return Client::local({.devices = 2});
}

/// y = x * w + b, and the mean of (y - t)^2.
struct Line {
  Program net;
  Value loss;
  Line() {
    const Value x = net.input("x", f32, {batch(8), 2});
    const Value t = net.input("t", f32, {batch(8), 1});
    const Value w = net.variable("w", f32, {2, 1}, init::constant(1));
    const Value y = matmul(x, w);
    net.output("y", y);
    loss = mean((y - t) * (y - t));
  }
};

Tensors rows(float a, float b) {
  return {{"x", Tensor(std::vector<float>{a, b, b, a}, {2, 2})}, {"t", Tensor::zeros(f32, {2, 1})}};
}

}  // namespace

TEST_CASE("many threads call one executable, and each gets the answer to its own call") {
  Client client = two_devices();
  Lease lease = client.lease({.devices = 2});
  Line line;
  Executable executable = lease.load(line.net);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        const auto a = static_cast<float>(100 * thread + i);
        const auto result = executable.try_run(rows(a, 1));
        if (!result.ok()) {
          ++wrong;
          continue;
        }
        const auto answer = result->try_get();
        if (!answer.ok() || (*answer)["y"].to_vector<float>() != std::vector<float>{a + 1, a + 1})
          ++wrong;
        if (executable.progress().calls == 0) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(executable.metrics().calls == 200);
}

TEST_CASE("many threads train one trainer: every step counts once") {
  Client client = two_devices();
  Lease lease = client.lease({.devices = 2});
  Line line;
  Trainer trainer = lease.train(line.loss, {.optimizer = SGD{.learning_rate = 1e-4}});
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto step = trainer.try_step(rows(1, 2));
        if (!step.ok() || !step->try_get().ok()) ++failed;
        if (i % 5 == 0 && !trainer.try_read("w").ok()) ++failed;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == 0);
  CHECK(trainer.metrics().steps == 100);
}

TEST_CASE("a cancelled future says so at once, and the call keeps its place and effect") {
  Client client = two_devices();
  Lease lease = client.lease({.devices = 1});
  Line line;
  Trainer trainer = lease.train(line.loss, {.optimizer = SGD{.learning_rate = 1e-4}});
  const Future<StepResult> given_up = trainer.step(rows(1, 2));
  const Future<StepResult> copy = given_up;
  given_up.cancel();
  const auto answer = copy.try_get();
  // The answer may have been faster; if not, it is `cancelled`.
  if (!answer.ok()) CHECK(answer.error().code == ErrorCode::cancelled);
  CHECK(trainer.step(rows(1, 2)).get().step == 2);
  const Future<StepResult> done = trainer.step(rows(1, 2));
  done.wait();
  done.cancel();
  CHECK(done.get().step == 3);
}

TEST_CASE("a cancelled trainer fails what waits and what comes, and its lease goes on") {
  Client client = two_devices();
  Lease lease = client.lease({.devices = 1});
  Line line;
  Trainer trainer = lease.train(line.loss, {.optimizer = SGD{}});
  std::vector<Future<StepResult>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(trainer.step(rows(1, 2)));
  std::thread other([&] { trainer.cancel(); });
  other.join();
  for (const auto& call : calls) {
    const auto answer = call.try_get(10s);
    if (!answer.ok()) CHECK(answer.error().code == ErrorCode::cancelled);
  }
  const auto later = trainer.try_step(rows(1, 2));
  REQUIRE_FALSE(later.ok());
  CHECK(later.error().code == ErrorCode::cancelled);
  CHECK(trainer.try_finish().error().code == ErrorCode::cancelled);
  Executable executable = lease.load(line.net);
  CHECK(executable.run(rows(3, 4)).get()["y"].to_vector<float>() == std::vector<float>{7, 7});
}

TEST_CASE("without exceptions, every failure is a Result") {
  const auto nowhere = Client::try_connect({.url = "unix:/nowhere/at/all", .key = "psk_1_x"});
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().code == ErrorCode::unavailable);
  auto client = Client::try_local({.devices = 1, .binaries = PENSTOCK_TEST_BIN});
  REQUIRE(client.ok());
  const auto nine = client->try_lease({.devices = 9});
  REQUIRE_FALSE(nine.ok());
  CHECK(nine.error().message.find('9') != std::string::npos);
  CHECK(attempt([]() -> int { throw std::bad_alloc(); }).error().code ==
        ErrorCode::resource_exhausted);
  CHECK(*attempt([] { return 7; }) == 7);
}
