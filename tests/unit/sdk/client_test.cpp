#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>

#include "penstock/penstock.h"
#include "tests/unit/sdk/fake_gateway.h"

using namespace penstock;
using penstock::testing::FakeGateway;

namespace {

Client connect(const FakeGateway& gateway) {
  return Client::connect({.url = gateway.url(), .key = "psk_right"});
}

/// x [<=width rows, columns] -> mean of x*w as the loss.
Value make_loss(Program& net, std::int64_t rows, std::int64_t columns) {
  const Value x = net.input("x", f32, {batch(rows), columns});
  return mean(x * net.variable("w", f32, {columns}, init::zeros()));
}

Tensors rows_of(std::int64_t rows, std::int64_t columns) {
  return {{"x", Tensor::zeros(f32, {rows, columns})}};
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Exception& exception) {
    return exception.error().message;
  }
  return "nothing thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("steps are numbered from 1 without a gap, in order, and answered each for itself") {
  FakeGateway gateway({});
  Client client = connect(gateway);
  CHECK(client.account() == "tester");
  Lease lease = client.lease({.devices = 2});
  CHECK(lease.info().devices.size() == 2);
  Program net;
  Trainer trainer = lease.train(make_loss(net, 8, 3));
  std::vector<Future<StepResult>> results;
  for (std::int64_t i = 0; i < 20; ++i) results.push_back(trainer.step(rows_of(1 + i % 8, 3)));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const StepResult result = results[i].get(30s);
    CHECK(result.step == i + 1);
    CHECK(result.loss == static_cast<double>(1 + i % 8));  // the short batch's true rows
  }
  const auto seen = gateway.seen();
  REQUIRE(seen.numbers.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(seen.numbers[i] == i + 1);
  const Metrics metrics = trainer.metrics();
  CHECK(metrics.steps == 20);
  CHECK(metrics.usage.price == Money{140});
  std::ostringstream out;
  out << metrics << lease.bill();
  CHECK(contains(out.str(), "20 steps"));
}

TEST_CASE("the leader gets program, training section and plan as texts") {
  FakeGateway gateway({});
  Client client = connect(gateway);
  Lease lease = client.lease({.devices = 2});
  Program net;
  Trainer trainer = lease.train(make_loss(net, 8, 3), {.micro_batches = 4});
  const auto seen = gateway.seen();
  CHECK(contains(seen.program, "train main minimize loss with adamw"));
  CHECK(contains(seen.plan, "mesh data=2 micro=4*"));
}

TEST_CASE("several calls are under way before the first is answered") {
  FakeGateway gateway({.hold_calls = 5});  // with a window below 5 this would wait for ever
  Client client = connect(gateway);
  Lease lease = client.lease({});
  Program net;
  Trainer trainer = lease.train(make_loss(net, 8, 3));
  Future<StepResult> last;
  for (int i = 0; i < 5; ++i) last = trainer.step(rows_of(8, 3));
  CHECK(last.get(30s).step == 5);
  CHECK(gateway.seen().most_waiting >= 5);
}

TEST_CASE("an error sticks: it reaches its future, the next step and the end") {
  FakeGateway gateway({.fail_call = 2});
  Client client = connect(gateway);
  Lease lease = client.lease({});
  Program net;
  Trainer trainer = lease.train(make_loss(net, 8, 3));
  CHECK(trainer.step(rows_of(8, 3)).get(30s).step == 1);
  const auto failed = trainer.step(rows_of(8, 3)).try_get(30s);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().code == ErrorCode::invalid_argument);
  CHECK(contains(failed.error().message, "step (call 2): rank 1 ran out of luck"));
  CHECK(contains(message_of([&] { trainer.finish(); }), "ran out of luck"));
  CHECK(contains(message_of([&] { trainer.step(rows_of(8, 3)); }), "ran out of luck"));
}

TEST_CASE("a batch that does not fit is refused at the line and breaks nothing") {
  FakeGateway gateway({});
  Client client = connect(gateway);
  Lease lease = client.lease({});
  Program net;
  Trainer trainer = lease.train(make_loss(net, 8, 3));
  CHECK(contains(message_of([&] { trainer.step(rows_of(9, 3)); }), "the program wants f32[<=8,3]"));
  CHECK(trainer.step(rows_of(8, 3)).get(30s).step == 1);
}

TEST_CASE("an input above 1 MiB is uploaded before its call, and a large value comes as a stream") {
  FakeGateway gateway({});
  Client client = connect(gateway);
  Lease lease = client.lease({});
  Program net;
  const std::int64_t columns = 1 << 17;  // half a MiB a row
  Trainer trainer = lease.train(make_loss(net, 4, columns));
  const auto small = trainer.step(rows_of(1, columns));
  const auto large = trainer.step(rows_of(4, columns));
  const auto again = trainer.step(rows_of(1, columns));
  CHECK(again.get(30s).step == 3);
  CHECK(large.get(30s).step == 2);
  CHECK(small.get(30s).step == 1);
  const auto seen = gateway.seen();
  CHECK(seen.uploads_used == 1);
  CHECK(seen.uploaded_bytes == 4u * 4u * static_cast<unsigned>(columns));
  CHECK(trainer.read("w").shape() == Extents{1 << 19});
}

TEST_CASE("the direct lane is used where it answers, and the relay where it does not") {
  Program net;
  const Value loss = make_loss(net, 8, 3);
  {
    FakeGateway gateway({});
    Client client = connect(gateway);
    Lease lease = client.lease({});
    Trainer trainer = lease.train(loss);
    CHECK(lease.lane_kind() == LaneKind::direct);
    CHECK(gateway.seen().direct == 1);
  }
  {
    FakeGateway gateway({.answer_direct = false});
    Client client = connect(gateway);
    Lease lease = client.lease({});
    Trainer trainer = lease.train(loss);
    CHECK(lease.lane_kind() == LaneKind::relay);
    CHECK(trainer.step(rows_of(2, 3)).get(30s).step == 1);
  }
  {
    FakeGateway gateway({});
    Client client = connect(gateway);
    Lease lease = client.lease({.lane = LaneKind::relay});
    CHECK(lease.lane_kind() == LaneKind::relay);
    CHECK(gateway.seen().direct == 0);
  }
  {
    FakeGateway gateway({.offer_direct = false});
    Client client = connect(gateway);
    Lease lease = client.lease({.lane = LaneKind::direct});
    CHECK(contains(message_of([&] { lease.train(loss); }), "the leader does not listen"));
  }
}

TEST_CASE("a lease that ends says why at the next call") {
  FakeGateway gateway({.hold_calls = 1000});
  Client client = connect(gateway);
  Lease lease = client.lease({});
  Program net;
  Trainer trainer = lease.train(make_loss(net, 8, 3));
  const auto pending = trainer.step(rows_of(8, 3));
  gateway.end_lease();
  const auto result = pending.try_get(30s);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::resource_exhausted);
  CHECK(contains(result.error().message, "the budget is used up"));
  CHECK(contains(message_of([&] { trainer.step(rows_of(8, 3)); }), "the budget is used up"));
}

TEST_CASE("a lease is released when its last user goes, and pending calls are cancelled") {
  FakeGateway gateway({.hold_calls = 1000});
  Future<StepResult> pending;
  {
    Client client = connect(gateway);
    Program net;
    Trainer trainer = client.lease({}).train(make_loss(net, 8, 3));
    pending = trainer.step(rows_of(8, 3));
    CHECK_FALSE(gateway.seen().released);
  }
  CHECK(gateway.seen().released);
  CHECK(pending.try_get(30s).error().code == ErrorCode::cancelled);
}

TEST_CASE("a released lease gives its bill and refuses what follows") {
  FakeGateway gateway({});
  Client client = connect(gateway);
  Lease lease = client.lease({});
  CHECK(lease.release().total == Money{42});
  CHECK(contains(message_of([&] { lease.bill(); }), "has been released"));
}

TEST_CASE("a wrong key, a wrong version and nobody there are told apart") {
  FakeGateway gateway({});
  CHECK(contains(message_of([&] { Client::connect({.url = gateway.url(), .key = "psk_wrong"}); }),
                 "this API key is not known"));
  FakeGateway newer({.major = 2});
  CHECK(contains(message_of([&] { connect(newer); }), "2."));
  CHECK(contains(
      message_of([&] { Client::connect({.url = "unix:/tmp/penstock-nobody", .key = "k"}); }),
      "is the service up"));
}
