#include <vector>

#include "tests/unit/agent/pool_fixture.h"

using namespace penstock;
using namespace penstock::executor::test;

namespace {

/// Counts its runs.
constexpr const char* kCounter = R"(penstock program 1
seed 7
variable n: f32[] constant(0.0)
entry main {
  %0: f32[] = read n
  %1: f32[] = constant() {dtype=f32, value=1.0}
  %2: f32[] = add(%0, %1)
  output loss = %2
  write n = %2
}
)";

class Sink final : public wire::ResultSink::Server {
 public:
  explicit Sink(std::vector<float>& seen) : seen_(seen) {}
  kj::Promise<void> push(PushContext context) override {
    seen_.push_back(read_answer(context.getParams().getResult()).loss);
    return kj::READY_NOW;
  }

 private:
  std::vector<float>& seen_;
};

struct Repeated {
  std::vector<float> seen;
  float last = 0;
  std::uint64_t runs = 0;
  std::int64_t device_ns = 0;
};

kj::Promise<Repeated> repeat(wire::Executable::Client program, std::uint64_t call,
                             std::uint64_t most) {
  auto repeated = kj::heap<Repeated>();
  auto request = program.repeatRequest();
  request.initCall().setNumber(call);
  request.setEntry("main");
  request.setMost(most);
  request.setSink(kj::heap<Sink>(repeated->seen));
  return request.send().then([repeated = kj::mv(repeated)](auto&& response) mutable {
    const StepAnswer answer = read_answer(response.getResult());
    repeated->last = answer.loss;
    repeated->runs = response.getRuns();
    repeated->device_ns = answer.device_ns;
    return kj::mv(*repeated);
  });
}

}  // namespace

TEST_CASE("a repetition that was answered is given again from memory, and not run again") {
  PoolFixture pool;
  auto lease = pool.lease(7, {0, 1});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  auto request = lease->lead().loadRequest();
  request.setLane(1);
  const auto data = [](std::string_view text) {
    return kj::arrayPtr(reinterpret_cast<const kj::byte*>(text.data()), text.size());
  };
  request.setProgram(data(kCounter));
  request.setPlan(data("penstock plan 1\nmesh data=2\nbucket_bytes 1048576\n"));
  auto program =
      pool.within(request.send().then([](auto&& response) { return response.getExecutable(); }));
  REQUIRE_MESSAGE(program.ok(), program.error().message);

  const auto first = pool.within(repeat(*program, 1, 4));
  REQUIRE_MESSAGE(first.ok(), first.error().message);
  CHECK(first->seen == std::vector<float>{1, 2, 3, 4});
  CHECK(first->last == 4);
  CHECK(first->runs == 4);
  const auto again = pool.within(repeat(*program, 1, 4));
  REQUIRE_MESSAGE(again.ok(), again.error().message);
  CHECK(again->seen == first->seen);
  CHECK(again->device_ns == first->device_ns);
  const auto next = pool.within(repeat(*program, 2, 1));
  REQUIRE_MESSAGE(next.ok(), next.error().message);
  CHECK(next->last == 5);  // the second asking ran nothing
  REQUIRE(pool.stop(7).ok());
  CHECK(pool.usage.device_ns == first->device_ns + next->device_ns);
}
