#include <signal.h>

#include "tests/unit/agent/pool_fixture.h"
#include "tests/unit/agent/programs.h"

using namespace penstock;
using namespace penstock::executor::test;

namespace {

std::vector<Tensor32> line_batch() {
  return {floats("x", {4, 1}, {1, 2, 3, 4}), floats("t", {4, 1}, {2, 4, 6, 8})};
}

struct Training {
  LeaseHandle lease;
  wire::Trainer::Client trainer;
};

Training start(PoolFixture& pool) {
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);
  return {std::move(lease).value(), *trainer};
}

}  // namespace

TEST_CASE("a wrong batch is refused with both shapes, and every later call fails with that error") {
  PoolFixture pool;
  auto [lease, trainer] = start(pool);
  auto wrong = pool.within(
      step(trainer, 1, 4, {floats("x", {4, 1}, {1, 2, 3, 4}), floats("t", {2, 1}, {2, 4})}));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().code == ErrorCode::invalid_argument);
  CHECK(wrong.error().message.find("input t: got f32[2,1], need f32[4,1]") != std::string::npos);
  auto later = pool.within(step(trainer, 2, 4, line_batch()));
  REQUIRE_FALSE(later.ok());
  CHECK(later.error().message == wrong.error().message);

  // Another lane of the same lease is not concerned.
  auto other = pool.within(train(lease.lead(), 2, line_fit(), 2));
  REQUIRE_MESSAGE(other.ok(), other.error().message);
  auto answer = pool.within(step(*other, 1, 4, line_batch()));
  REQUIRE_MESSAGE(answer.ok(), answer.error().message);
  CHECK(answer->loss == doctest::Approx(30.0));
}

TEST_CASE("a killed follower gives an error that names its rank, and the gateway hears of it") {
  PoolFixture pool;
  auto [lease, trainer] = start(pool);
  REQUIRE(pool.within(step(trainer, 1, 4, line_batch())).ok());
  const auto pids = pool.worker_pids();
  REQUIRE(pids.size() == 2);
  REQUIRE(::kill(pids[1], SIGKILL) == 0);

  auto failed = pool.within(step(trainer, 2, 4, line_batch()));
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ErrorCode::unavailable);
  CHECK(failed.error().message.find("rank 1") != std::string::npos);
  auto later = pool.within(step(trainer, 3, 4, line_batch()));
  REQUIRE_FALSE(later.ok());
  CHECK(later.error().message == failed.error().message);

  REQUIRE(pool.stop(7).ok());
  REQUIRE(pool.losses.size() == 1);
  CHECK(pool.losses[0].lease == 7);
  CHECK(pool.losses[0].rank == 1);
  CHECK(pool.losses[0].reason.find("KILL") != std::string::npos);
}

TEST_CASE("after stop every process of the lease is gone and its devices can be leased again") {
  PoolFixture pool;
  const auto before = pool.worker_pids();
  REQUIRE(before.size() == 2);
  { auto training = start(pool); }
  REQUIRE(pool.stop(7).ok());
  for (const int pid : before) CHECK(::kill(pid, 0) != 0);

  auto next = pool.lease(8, {1, 0});
  REQUIRE_MESSAGE(next.ok(), next.error().message);
  auto trainer = pool.within(train(next->lead(), 1, line_fit(), 2));
  REQUIRE_MESSAGE(trainer.ok(), trainer.error().message);
  CHECK(pool.within(step(*trainer, 1, 4, line_batch())).ok());
  CHECK(pool.losses.empty());
}

TEST_CASE("when the agent ends, its workers end with it") {
  PoolFixture pool;
  auto training = start(pool);
  const auto pids = pool.worker_pids();
  REQUIRE(pids.size() == 2);
  pool.agent_process->kill(SIGKILL);
  REQUIRE(pool.within(pool.agent_process->exited()).ok());
  auto answer = pool.within(step(training.trainer, 1, 4, line_batch()));
  CHECK_FALSE(answer.ok());
}

TEST_CASE("an agent that lost its gateway registers again, and its leases have ended") {
  PoolFixture pool;
  const auto before = pool.worker_pids();
  { auto training = start(pool); }
  const Status again = pool.restart_gateway();
  REQUIRE_MESSAGE(again.ok(), again.error().message);
  auto lease = pool.lease(9, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  for (const int pid : before) CHECK(::kill(pid, 0) != 0);
}
