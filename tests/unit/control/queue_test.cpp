#include "tests/unit/control/fixture.h"

using namespace penstock;
using namespace penstock::gateway;

namespace {

LeaseTerms terms(std::uint32_t devices, Nanoseconds max_wait = 10s, std::uint64_t memory = 0) {
  LeaseTerms out;
  out.device_count = devices;
  out.max_wait = max_wait;
  out.memory_bytes_min = memory;
  return out;
}

}  // namespace

TEST_CASE("a request that the whole pool cannot meet is refused at once, with values") {
  Pond pond;
  pond.join("host", 2, kGiB);
  CHECK(only<RequestRefused>(pond.request(1, terms(3))).error ==
        Error{ErrorCode::invalid_argument,
              "lease request 1: 3 devices of class cpu wanted; the pool has 2 such devices among "
              "its 2: ask for less"});
  CHECK(only<RequestRefused>(pond.request(2, terms(1, 10s, 2 * kGiB))).error.message ==
        "lease request 2: 1 device of class cpu with at least 2 GiB each wanted; the pool has 0 "
        "such devices among its 2: ask for less");
}

TEST_CASE("a pool without any device says to try again") {
  Pond pond;
  CHECK(only<RequestRefused>(pond.request(1, terms(1))).error.code == ErrorCode::unavailable);
}

TEST_CASE("requests are served first come, first served; a small one does not pass a large one") {
  Pond pond;
  const ExecutorId host = pond.join("host", 2);
  const Lease first = pond.lease(1, 1);
  CHECK(only<RequestQueued>(pond.request(2, terms(2))).position == 1);
  const auto third = only<RequestQueued>(pond.request(3, terms(1)));
  CHECK(third.position == 2);
  CHECK(third.reason ==
        "1 device of class cpu wanted, 1 of 2 such devices are free, 1 request is ahead");
  pond.apply(ReleaseLease{first.id, first.epoch});
  const Actions freed = pond.apply(DevicesFreed{host, first.id, first.epoch});
  CHECK(only<RequestGranted>(freed).request == RequestId{2});
  CHECK(pond.plane.queue_place(RequestId{3})->position == 1);
}

TEST_CASE("a request waits its own max_wait and then ends with the reason") {
  Pond pond;
  pond.join("host", 1);
  pond.lease(1, 1);
  pond.request(2, terms(1, 3s));
  CHECK(pond.plane.next_deadline() == kStart + 3s);
  CHECK(all<RequestRefused>(pond.pass(3s - 1ns)).empty());
  CHECK(only<RequestRefused>(pond.pass(1ns)).error ==
        Error{ErrorCode::deadline_exceeded,
              "lease request 2: waited its max_wait of 3 s: 1 device of class cpu wanted, 0 of 1 "
              "such devices are free"});
}

TEST_CASE("a request that gives up lets the next one through") {
  Pond pond;
  pond.join("host", 2);
  pond.lease(1, 1);
  pond.request(2, terms(2, 3s));
  pond.request(3, terms(1, 9s));
  CHECK(only<RequestGranted>(pond.pass(3s)).request == RequestId{3});
}

TEST_CASE("max_wait 0 means now or never") {
  Pond pond;
  pond.join("host", 1);
  pond.lease(1, 1);
  CHECK(only<RequestRefused>(pond.request(2, terms(1, 0s))).error.code ==
        ErrorCode::resource_exhausted);
  CHECK(pond.plane.queue().size() == 0);
}

TEST_CASE("a cancelled request is out of the queue") {
  Pond pond;
  pond.join("host", 1);
  pond.lease(1, 1);
  pond.request(2, terms(1));
  CHECK_FALSE(pond.apply(CancelRequest{RequestId{2}}).refused);
  CHECK(pond.apply(CancelRequest{RequestId{2}}).refused);
  CHECK(all<RequestRefused>(pond.pass(20s)).empty());
}

TEST_CASE("requests that a lost executor makes impossible end at once") {
  Pond pond;
  const ExecutorId small = pond.join("small", 1, kGiB, 'a');
  pond.join("large", 1, kGiB, 'b');
  pond.lease(1, 1);
  pond.request(2, terms(2, 9s));
  const Actions lost = pond.apply(ExecutorLost{small, "connection reset"});
  CHECK(only<RequestRefused>(lost).error.code == ErrorCode::unavailable);
}

TEST_CASE("what is out of bounds is refused with its bounds") {
  Pond pond;
  pond.join("host", 1);
  CHECK(only<RequestRefused>(pond.request(1, terms(1025))).error.message ==
        "lease request 1: device_count 1025 is out of [1, 1024]");
  CHECK(only<RequestRefused>(pond.request(1, terms(0))).error.code == ErrorCode::invalid_argument);
  CHECK(only<RequestRefused>(pond.request(1, terms(1, Nanoseconds(-1)))).error.code ==
        ErrorCode::invalid_argument);
  LeaseTerms short_period = terms(1);
  short_period.expiry_period = 1ms;
  CHECK(only<RequestRefused>(pond.request(1, short_period)).error.message ==
        "lease request 1: expiry_period 1 ms is out of [1 s, 60 min 0 s]");
  CHECK(pond.request(0, terms(1)).refused);
}

TEST_CASE("an account's requests are limited, and so are its leases") {
  ControlOptions options;
  options.limits.queue_per_account_max = 2;
  options.limits.leases_per_account_max = 4;
  Pond pond(options);
  pond.join("host", 2);
  pond.lease(1, 1);
  pond.lease(2, 1);
  CHECK(all<RequestQueued>(pond.request(3, terms(1))).size() == 1);
  CHECK(all<RequestQueued>(pond.request(4, terms(1))).size() == 1);
  CHECK(only<RequestRefused>(pond.request(5, terms(1))).error.code ==
        ErrorCode::resource_exhausted);
}

TEST_CASE("one executor is preferred to two, and the fuller one to the emptier") {
  Pond pond;
  pond.join("three", 3, kGiB, 'a');
  const ExecutorId two = pond.join("two", 2, kGiB, 'b');
  const Lease lease = only<RequestGranted>(pond.request(1, terms(2))).lease;
  CHECK(lease.devices == std::vector<DeviceId>{{two, 0}, {two, 1}});
}

TEST_CASE("a request takes the smallest devices that do") {
  Pond pond;
  const ExecutorId host =
      only<ExecutorJoined>(pond.apply(RegisterExecutor{
                               "host",
                               std::string(64, 'a'),
                               pond.token,
                               {{"cpu", 1, 8 * kGiB}, {"cpu", 1, 2 * kGiB}, {"cpu", 1, kGiB}}}))
          .executor;
  const Lease lease = only<RequestGranted>(pond.request(1, terms(1, 0s, 2 * kGiB))).lease;
  CHECK(lease.devices == std::vector<DeviceId>{{host, 1}});
}

TEST_CASE("after a gap in time no request is served whose own time is over") {
  Pond pond(patient());
  pond.join("host", 2);
  pond.lease(1, 1);
  pond.request(2, terms(2, 3s));
  pond.request(3, terms(1, 4s));
  CHECK(all<RequestRefused>(pond.pass(5s)).size() == 2);
}
