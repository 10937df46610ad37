#include <cmath>
#include <fstream>

#include "tests/unit/agent/pool_fixture.h"
#include "tests/unit/agent/programs.h"

using namespace penstock;
using namespace penstock::executor::test;

namespace {

std::vector<Tensor32> line_batch() {
  return {floats("x", {4, 1}, {1, 2, 3, 4}), floats("t", {4, 1}, {2, 4, 6, 8})};
}

std::vector<Tensor32> mlp_batch(std::int64_t rows) {
  std::vector<float> x;
  std::vector<std::int32_t> y;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int i = 0; i < 6; ++i) x.push_back(static_cast<float>((row * 5 + i * 3) % 7) / 7.0F);
    y.push_back(static_cast<std::int32_t>(row % 8));
  }
  return {floats("x", {rows, 6}, x), integers("y", {rows}, y)};
}

}  // namespace

TEST_CASE("two workers train to the values that a hand calculation gives") {
  PoolFixture pool;
  CHECK(pool.ready_line.find("\"agent\":\"host-a\",\"devices\":2") != std::string::npos);
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);

  auto first = pool.within(step(*trainer, 1, 4, line_batch()));
  REQUIRE_MESSAGE(first.ok(), first.error().message);
  CHECK(first->loss == doctest::Approx(30.0));
  CHECK(first->step == 1);
  CHECK(first->device_ns > 0);
  CHECK(first->price_nanos == first->device_ns);  // at one unit per device and second

  auto second = pool.within(step(*trainer, 2, 4, line_batch()));
  REQUIRE(second.ok());
  CHECK(second->loss == doctest::Approx(21.675));
  auto w = pool.within(read_variable(*trainer, 3, "w"));
  REQUIRE_MESSAGE(w.ok(), w.error().message);
  CHECK(w->at(0) == doctest::Approx(0.555));
}

TEST_CASE("an answered call is answered from memory, and a gap is refused") {
  PoolFixture pool;
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);
  auto first = pool.within(step(*trainer, 1, 4, line_batch()));
  REQUIRE_MESSAGE(first.ok(), first.error().message);

  auto again = pool.within(step(*trainer, 1, 4, line_batch()));
  REQUIRE(again.ok());
  CHECK(again->step == 1);
  CHECK(again->loss == first->loss);
  CHECK(again->device_ns == first->device_ns);

  auto gap = pool.within(step(*trainer, 5, 4, line_batch()));
  REQUIRE_FALSE(gap.ok());
  CHECK(gap.error().code == ErrorCode::failed_precondition);
  CHECK(gap.error().message.find("leaves out call 2") != std::string::npos);

  // Neither of them ran: the weight is that of one step.
  auto w = pool.within(read_variable(*trainer, 2, "w"));
  REQUIRE(w.ok());
  CHECK(w->at(0) == doctest::Approx(0.3));
}

TEST_CASE("a net trains on uneven batches, many calls in flight, and usage reaches the gateway") {
  PoolFixture pool;
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, small_mlp(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);

  constexpr int kSteps = 40;
  std::vector<kj::Promise<StepAnswer>> answers;
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t rows = i % 2 == 0 ? 12 : 7;
    answers.push_back(step(*trainer, static_cast<std::uint64_t>(i) + 1, rows, mlp_batch(rows)));
  }
  std::vector<float> losses;
  for (auto& answer : answers) {
    auto got = pool.within(kj::mv(answer));
    REQUIRE_MESSAGE(got.ok(), got.error().message);
    losses.push_back(got->loss);
  }
  CHECK(losses.front() == doctest::Approx(std::log(8.0)));
  CHECK(losses[kSteps - 2] < 0.9F * losses.front());

  REQUIRE(pool.stop(7).ok());
  CHECK(pool.usage.steps == kSteps);
  CHECK(pool.usage.device_ns > 0);
}

TEST_CASE("a short batch of one row leaves the second rank without rows, and still trains") {
  PoolFixture pool;
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);
  // By hand: x = 3, t = 6, w = 0: loss 36, gradient 2 * (-6) * 3 = -36, w = 0.36.
  auto answer =
      pool.within(step(*trainer, 1, 1, {floats("x", {1, 1}, {3}), floats("t", {1, 1}, {6})}));
  REQUIRE_MESSAGE(answer.ok(), answer.error().message);
  CHECK(answer->loss == doctest::Approx(36.0));
  auto w = pool.within(read_variable(*trainer, 2, "w"));
  REQUIRE(w.ok());
  CHECK(w->at(0) == doctest::Approx(0.36));
}

TEST_CASE("the halves of a step, called apart, accumulate gradients until the update") {
  PoolFixture pool;
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);
  for (std::uint64_t call = 1; call <= 2; ++call) {
    auto request = trainer->forwardBackwardRequest();
    request.initCall().setNumber(call);
    set_batch(request.initBatch(), 4, line_batch());
    auto loss = pool.within(
        request.send().then([](capnp::Response<wire::Trainer::ForwardBackwardResults>&& response) {
          return read_answer(response.getResult()).loss;
        }));
    REQUIRE_MESSAGE(loss.ok(), loss.error().message);
    CHECK(*loss == doctest::Approx(30.0));  // no step in between
  }
  auto update = trainer->optimizerStepRequest();
  update.initCall().setNumber(3);
  auto steps = pool.within(
      update.send().then([](capnp::Response<wire::Trainer::OptimizerStepResults>&& response) {
        return response.getResult().getStep();
      }));
  REQUIRE_MESSAGE(steps.ok(), steps.error().message);
  CHECK(*steps == 1);
  auto w = pool.within(read_variable(*trainer, 4, "w"));
  REQUIRE(w.ok());
  CHECK(w->at(0) == doctest::Approx(0.6));  // two gradients of -30 at rate 0.01
}

TEST_CASE("a trace tells when each instruction ran and when each chunk of a gradient arrived") {
  net::test::TemporaryDirectory directory;
  PoolFixture pool(
      {.devices = "2", .memory = "64MiB", .more = {"--trace", directory.path("trace.json")}});
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);
  REQUIRE(pool.within(step(*trainer, 1, 4, line_batch())).ok());
  REQUIRE(pool.stop(7).ok());
  for (const char* name : {"trace.0.json", "trace.1.json"}) {
    std::ifstream in(directory.path(name));
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    CHECK(text.rfind("[\n{", 0) == 0);
    CHECK(text.find("\"name\":\"matmul") != std::string::npos);
    CHECK(text.find("\"name\":\"chunk received\"") != std::string::npos);
    CHECK(text.find("\"label\":\"all_reduce") != std::string::npos);
  }
}
