#include "tests/unit/agent/pool_fixture.h"
#include "tests/unit/agent/programs.h"

using namespace penstock;
using namespace penstock::executor::test;

namespace {

/// One variable of 1024 x 1024 floats: 4 MiB, and nothing else of size.
std::string large_program() {
  return R"(penstock program 1
seed 1
variable big: f32[1024,1024] constant(1.5)
entry main {
  %0: f32[1024,1024] = read big
  %1: f32[] = reduce_sum(%0) {dims=[0,1]}
  output sum = %1
}
)";
}

kj::Promise<wire::Executable::Client> load(wire::Leader::Client leader, std::uint64_t lane,
                                           const std::string& program, const std::string& plan) {
  auto request = leader.loadRequest();
  request.setLane(lane);
  request.setProgram(
      kj::arrayPtr(reinterpret_cast<const kj::byte*>(program.data()), program.size()));
  request.setPlan(kj::arrayPtr(reinterpret_cast<const kj::byte*>(plan.data()), plan.size()));
  return request.send().then([](capnp::Response<wire::Leader::LoadResults>&& response) {
    return response.getExecutable();
  });
}

constexpr const char* kOneDevice = "penstock plan 1\nmesh data=1\nbucket_bytes 1048576\n";

}  // namespace

TEST_CASE("a device that is leased, unknown or named twice is refused, and says so") {
  PoolFixture pool;
  auto first = pool.lease(7, {0});
  REQUIRE_MESSAGE(first.ok(), first.error().message);
  auto taken = pool.lease(8, {1, 0});
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().message.find("device 0 belongs to lease 7") != std::string::npos);
  auto unknown = pool.lease(8, {2});
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().message.find("device 2 is not here; this host has 2") != std::string::npos);
  auto twice = pool.lease(8, {1, 1});
  REQUIRE_FALSE(twice.ok());
  CHECK(twice.error().message.find("device 1 is named twice") != std::string::npos);
}

TEST_CASE("a plan for another number of devices is refused with both numbers") {
  PoolFixture pool;
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto trainer = pool.within(train(lease->lead(), 1, line_fit(), 4));
  REQUIRE_FALSE(trainer.ok());
  CHECK(trainer.error().code == ErrorCode::invalid_argument);
  CHECK(trainer.error().message.find("has 4 devices, but the lease has 2") != std::string::npos);
}

TEST_CASE("the lanes of a lease share the device's memory: the one too many is refused") {
  PoolFixture pool({.devices = "1", .memory = "10MiB", .more = {}});
  auto lease = pool.lease(7, {0});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  std::vector<wire::Executable::Client> held;
  for (std::uint64_t lane = 1; lane <= 2; ++lane) {
    auto loaded = pool.within(load(lease->lead(), lane, large_program(), kOneDevice));
    REQUIRE_MESSAGE(loaded.ok(), loaded.error().message);
    held.push_back(kj::mv(*loaded));
  }
  auto third = pool.within(load(lease->lead(), 3, large_program(), kOneDevice));
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().code == ErrorCode::resource_exhausted);
  CHECK(third.error().message.find("of the device's 10 MiB") != std::string::npos);

  // Dropping a lane gives its memory back.
  held.clear();
  REQUIRE(pool.within(lease->lead().pingRequest().send().ignoreResult()).ok());
  auto after = pool.within(load(lease->lead(), 4, large_program(), kOneDevice));
  CHECK_MESSAGE(after.ok(), after.error().message);
}

TEST_CASE("a large variable is written by an upload and read back as a stream") {
  PoolFixture pool({.devices = "1", .memory = "64MiB", .more = {}});
  auto lease = pool.lease(7, {0});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto loaded = pool.within(load(lease->lead(), 1, large_program(), kOneDevice));
  REQUIRE_MESSAGE(loaded.ok(), loaded.error().message);

  auto read = loaded->readVariableRequest();
  read.initCall().setNumber(1);
  read.setName("big");
  auto answered = pool.within(
      read.send().then([](capnp::Response<wire::Executable::ReadVariableResults>&& response) {
        return response.getTensor().isSource();
      }));
  REQUIRE_MESSAGE(answered.ok(), answered.error().message);
  CHECK(*answered);

  auto write = loaded->writeVariableRequest();
  write.initCall().setNumber(2);
  auto tensor = write.initTensor();
  tensor.setName("big");
  tensor.setDtype("f32");
  auto shape = tensor.initShape(2);
  shape.set(0, 1024);
  shape.set(1, 1024);
  tensor.setUpload(99);
  auto refused = pool.within(write.send().ignoreResult());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("there is no upload 99") != std::string::npos);
}
