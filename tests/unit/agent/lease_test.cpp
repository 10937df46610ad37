#include <span>

#include "schema/wire/byte_stream.h"
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

void set_shape(capnp::List<std::int64_t>::Builder shape) {
  shape.set(0, 1024);
  shape.set(1, 1024);
}

Status upload(PoolFixture& pool, wire::Executable::Client executable, std::uint64_t number,
              std::span<const std::byte> bytes) {
  auto request = executable.uploadRequest();
  request.setUpload(number);
  request.setName("big");
  request.setDtype("f32");
  set_shape(request.initShape(2));
  return pool.within(wire::send_bytes(request.send().getSink(), bytes));
}

Status write_uploaded(PoolFixture& pool, wire::Executable::Client executable, std::uint64_t call,
                      std::uint64_t number) {
  auto request = executable.writeVariableRequest();
  request.initCall().setNumber(call);
  auto tensor = request.initTensor();
  tensor.setName("big");
  tensor.setDtype("f32");
  set_shape(tensor.initShape(2));
  tensor.setUpload(number);
  return pool.within(request.send().ignoreResult());
}

Status read_streamed(PoolFixture& pool, wire::Executable::Client executable, std::uint64_t call,
                     std::span<std::byte> into) {
  auto request = executable.readVariableRequest();
  request.initCall().setNumber(call);
  request.setName("big");
  return pool.within(request.send().then(
      [into](capnp::Response<wire::Executable::ReadVariableResults>&& response) {
        auto read = response.getTensor().getSource().readRequest();
        read.setSink(wire::receive_bytes(into, kj::Own<void>(), {}));
        return read.send().ignoreResult();
      }));
}

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

  std::vector<float> sent(1024 * 1024);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<float>(i % 1000);
  REQUIRE(upload(pool, *loaded, 99, std::as_bytes(std::span(sent))).ok());
  const auto wrote = write_uploaded(pool, *loaded, 1, 99);
  REQUIRE_MESSAGE(wrote.ok(), wrote.error().message);

  std::vector<float> got(sent.size());
  const auto read = read_streamed(pool, *loaded, 2, std::as_writable_bytes(std::span(got)));
  REQUIRE_MESSAGE(read.ok(), read.error().message);
  CHECK(got == sent);

  // The upload was used up, and this refusal ends the lane.
  const auto again = write_uploaded(pool, *loaded, 3, 99);
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().message.find("there is no upload 99") != std::string::npos);
  CHECK_FALSE(read_streamed(pool, *loaded, 4, std::as_writable_bytes(std::span(got))).ok());
}
