#include "tests/unit/control/fixture.h"

using namespace penstock;
using namespace penstock::gateway;

namespace {

LeaseTerms terms(std::uint32_t devices, Nanoseconds max_wait = 0s) {
  LeaseTerms out;
  out.device_count = devices;
  out.max_wait = max_wait;
  return out;
}

}  // namespace

TEST_CASE("a lease is granted with devices, an epoch and the price of their class") {
  Pond pond;
  const ExecutorId host = pond.join("host", 4);
  const Actions actions = pond.request(7, terms(2));
  const auto granted = only<RequestGranted>(actions);
  CHECK(granted.request == RequestId{7});
  CHECK(granted.lease.devices == std::vector<DeviceId>{{host, 0}, {host, 1}});
  CHECK(granted.lease.price == PriceTable::standard().find("cpu").value());
  const auto start = only<StartOnExecutor>(actions);
  CHECK(start.world_size == 2);
  CHECK(start.ranks == std::vector<RankPlacement>{{0, 0}, {1, 1}});
  CHECK(start.epoch == granted.lease.epoch);
}

TEST_CASE("a lease is ready once every executor has started it") {
  Pond pond;
  const ExecutorId first = pond.join("first", 1, kGiB, 'a');
  const ExecutorId second = pond.join("second", 1, kGiB, 'b');
  const Lease lease = only<RequestGranted>(pond.request(1, terms(2))).lease;
  CHECK(all<LeaseReady>(pond.apply(LeaseStarted{first, lease.id, lease.epoch})).empty());
  const Actions last = pond.apply(LeaseStarted{second, lease.id, lease.epoch});
  CHECK(only<LeaseReady>(last).expires_at == kStart + 30s);
  CHECK(pond.apply(LeaseStarted{second, lease.id, lease.epoch}).refused);
}

TEST_CASE("every grant has a larger epoch") {
  Pond pond;
  const ExecutorId host = pond.join("host", 1);
  Epoch last{};
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const Lease lease = pond.lease(i, 1);
    CHECK(lease.epoch > last);
    last = lease.epoch;
    pond.apply(ReleaseLease{lease.id, lease.epoch});
    pond.apply(DevicesFreed{host, lease.id, lease.epoch});
  }
}

TEST_CASE("a lease cannot be renewed at the instant it expires") {
  Pond pond(patient());
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  CHECK(pond.plane.lease(lease.id)->expires_at == kStart + 30s);
  pond.now = kStart + 30s;
  const Actions late = pond.apply(RenewLease{lease.id, lease.epoch});
  REQUIRE(late.refused);
  CHECK(late.refused->message == "lease 1: it has ended: expired");
  CHECK(only<LeaseEnded>(late).reason == EndReason::expired);
}

TEST_CASE("a lease renewed a nanosecond before it expires lives one more period") {
  Pond pond(patient());
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.now = kStart + 30s - 1ns;
  const Actions renewed = pond.apply(RenewLease{lease.id, lease.epoch});
  CHECK(only<LeaseRenewed>(renewed).expires_at == kStart + 60s - 1ns);
  pond.now = kStart + 30s;
  CHECK(all<LeaseEnded>(pond.apply(Tick{})).empty());
}

TEST_CASE("an ended lease's devices are free only once the executor says so") {
  Pond pond;
  const ExecutorId host = pond.join("host", 1);
  const Lease first = pond.lease(1, 1);
  const Actions released = pond.apply(ReleaseLease{first.id, first.epoch});
  CHECK(only<StopOnExecutor>(released).epoch == first.epoch);
  CHECK(only<RequestQueued>(pond.request(2, terms(1, 5s))).position == 1);
  const Actions freed = pond.apply(DevicesFreed{host, first.id, first.epoch});
  CHECK(only<LeaseClosed>(freed).lease == first.id);
  CHECK(only<RequestGranted>(freed).request == RequestId{2});
}

TEST_CASE("a running lease's devices cannot be reported free") {
  Pond pond;
  const ExecutorId host = pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  CHECK(pond.apply(DevicesFreed{host, lease.id, lease.epoch}).refused);
  CHECK(pond.plane.lease(lease.id)->state == LeaseState::active);
}

TEST_CASE("a stop that nobody confirms is asked for again") {
  Pond pond;
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.apply(ReleaseLease{lease.id, lease.epoch});
  CHECK(all<StopOnExecutor>(pond.pass(9s)).empty());
  // Keeps its heartbeat, so that silence is not what the test sees.
  pond.apply(Heartbeat{ExecutorId{1}});
  CHECK(all<StopOnExecutor>(pond.pass(1s)).size() == 1);
}

TEST_CASE("a lost client's lease lives for its grace and no longer") {
  Pond pond;
  pond.join("host", 1);
  LeaseTerms wanted = terms(1);
  wanted.reconnect_grace = 5s;
  const Lease lease = only<RequestGranted>(pond.request(1, wanted)).lease;
  pond.start(lease);
  pond.apply(ClientLost{lease.id, lease.epoch});
  CHECK(all<LeaseEnded>(pond.pass(5s - 1ns)).empty());
  CHECK(only<LeaseEnded>(pond.pass(1ns)).reason == EndReason::client_lost);
}

TEST_CASE("a client that comes back within its grace keeps the lease") {
  Pond pond;
  pond.join("host", 1);
  LeaseTerms wanted = terms(1);
  wanted.reconnect_grace = 5s;
  const Lease lease = only<RequestGranted>(pond.request(1, wanted)).lease;
  pond.start(lease);
  pond.apply(ClientLost{lease.id, lease.epoch});
  pond.pass(4s);
  CHECK(only<LeaseRenewed>(pond.apply(RenewLease{lease.id, lease.epoch})).expires_at ==
        kStart + 34s);
  CHECK(all<LeaseEnded>(pond.pass(2s)).empty());
}

TEST_CASE("a grace of 0 ends the lease with its client") {
  Pond pond;
  pond.join("host", 1);
  LeaseTerms wanted = terms(1);
  wanted.reconnect_grace = 0s;
  const Lease lease = only<RequestGranted>(pond.request(1, wanted)).lease;
  const Actions lost = pond.apply(ClientLost{lease.id, lease.epoch});
  CHECK(only<LeaseEnded>(lost).reason == EndReason::client_lost);
  CHECK(all<StopOnExecutor>(lost).size() == 1);
}

TEST_CASE("workers that do not start in time end the lease") {
  Pond pond;
  const ExecutorId host = pond.join("host", 1);
  pond.request(1, terms(1));
  for (int i = 0; i < 5; ++i) {
    pond.pass(5s);
    pond.apply(Heartbeat{host});
  }
  CHECK(only<LeaseEnded>(pond.pass(5s)).reason == EndReason::start_failed);
}

TEST_CASE("a worker's death ends the lease with what the executor said") {
  Pond pond;
  const ExecutorId host = pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  const auto ended = only<LeaseEnded>(pond.apply(
      LeaseFailed{host, lease.id, lease.epoch, {ErrorCode::internal, "rank 0 got signal 11"}}));
  CHECK(ended.reason == EndReason::worker_failed);
  CHECK(ended.error == Error{ErrorCode::internal, "lease 1: executor 1: rank 0 got signal 11"});
}

TEST_CASE("a silent executor is lost with its leases") {
  Pond pond;
  const ExecutorId silent = pond.join("silent", 1, kGiB, 'a');
  const ExecutorId loud = pond.join("loud", 1, kGiB, 'b');
  const Lease lease = pond.lease(1, 2);
  pond.pass(9s);
  pond.apply(Heartbeat{loud});
  const Actions lost = pond.pass(1s);
  CHECK(only<DropExecutor>(lost).executor == silent);
  CHECK(only<LeaseEnded>(lost).reason == EndReason::executor_lost);
  CHECK(only<StopOnExecutor>(lost).executor == loud);
  CHECK(only<LeaseClosed>(pond.apply(DevicesFreed{loud, lease.id, lease.epoch})).lease == lease.id);
  CHECK(pond.apply(Heartbeat{silent}).refused);
}

TEST_CASE("an executor that dials in again gets a new number, and its old leases end") {
  Pond pond;
  const ExecutorId before = pond.join("host", 1);
  pond.lease(1, 1);
  const Actions again = pond.register_executor("host", 1);
  CHECK(only<DropExecutor>(again).executor == before);
  CHECK(only<ExecutorJoined>(again).executor > before);
  CHECK(only<LeaseEnded>(again).reason == EndReason::executor_lost);
  CHECK(pond.apply(ExecutorLost{before, "late"}).refused);
  CHECK(pond.plane.pool().executors().size() == 1);
}
