#include "tests/unit/control/fixture.h"

using namespace penstock;
using namespace penstock::gateway;

namespace {

constexpr Usage device_time(std::int64_t ns) {
  return {.device_nanoseconds = ns, .bytes_in = 0, .bytes_out = 0, .steps = 1};
}

}  // namespace

// 30 us on cpu cost 0.3 billionths: three reports of it are 0.9, which is 1, and not 3 * 0.
TEST_CASE("many small reports cost as much as one large one") {
  Pond pond;
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(1s);
  CHECK(only<UsageCounted>(pond.report(lease, 1, device_time(30'000))).total == Money{0});
  CHECK(only<UsageCounted>(pond.report(lease, 2, device_time(30'000))).total == Money{1});
  CHECK(only<UsageCounted>(pond.report(lease, 3, device_time(30'000))).total == Money{1});
  CHECK(pond.plane.meter().ledger().balance(pond.account) == Money{1});
  CHECK(pond.plane.meter().usage(lease.id) ==
        Usage{.device_nanoseconds = 90'000, .bytes_in = 0, .bytes_out = 0, .steps = 3});
}

// 2 s on cpu: 20,000 billionths.
TEST_CASE("a charge is two ledger entries that sum to zero") {
  Pond pond;
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(2s);
  std::vector<LedgerEntry> entries;
  for (const Persist& persist : all<Persist>(pond.report(lease, 1, device_time(2'000'000'000))))
    if (const auto* entry = std::get_if<LedgerEntry>(&persist.record)) entries.push_back(*entry);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].account == pond.account);
  CHECK(entries[0].amount == Money{20'000});
  CHECK(entries[1].account == kRevenueAccount);
  CHECK(entries[1].amount == Money{-20'000});
  CHECK(entries[0].transaction == entries[1].transaction);
  CHECK(entries[0].number == 1);
  CHECK(entries[1].number == 2);
  CHECK(pond.plane.meter().ledger().total() == Money{0});
}

TEST_CASE("a report that comes twice is counted once") {
  Pond pond;
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(1s);
  pond.report(lease, 1, device_time(1'000'000'000));
  const Actions again = pond.report(lease, 1, device_time(1'000'000'000));
  CHECK_FALSE(again.refused);
  CHECK(only<UsageCounted>(again).charged == Money{0});
  CHECK(only<UsageCounted>(again).total == Money{10'000});
  CHECK(all<Persist>(again).empty());
}

TEST_CASE("reports count in whatever order they arrive, and far ahead of a missing one not") {
  Pond pond(patient());
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(10s);
  pond.report(lease, 3, device_time(1'000'000'000));
  pond.report(lease, 1, device_time(1'000'000'000));
  CHECK(only<UsageCounted>(pond.report(lease, 2, device_time(1'000'000'000))).total ==
        Money{30'000});
  CHECK_FALSE(pond.report(lease, 3 + 1024, device_time(1)).refused);
  const Actions too_far = pond.report(lease, 3 + 1025, device_time(1));
  REQUIRE(too_far.refused);
  CHECK(too_far.refused->message ==
        "usage report 1028 of lease 1: report 4 is still missing, and only 1024 may be ahead of "
        "it: send it again");
}

TEST_CASE("usage of another epoch is refused") {
  Pond pond;
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(1s);
  const Actions stale =
      pond.apply(ReportUsage{lease.id, Epoch{lease.epoch.value + 1}, 1, device_time(5)});
  REQUIRE(stale.refused);
  CHECK(stale.refused->message == "lease 1: epoch 2 is fenced; the lease has epoch 1");
  CHECK(pond.plane.meter().usage(lease.id) == Usage{});
}

// Two devices held for 3 s, and a second of slack each: 8 s.
TEST_CASE("no more device time is billed than the devices were held") {
  Pond pond;
  pond.join("host", 2);
  const Lease lease = pond.lease(1, 2);
  pond.pass(3s);
  const Actions over = pond.report(lease, 1, device_time(8'000'000'001));
  REQUIRE(over.refused);
  CHECK(over.refused->code == ErrorCode::invalid_argument);
  CHECK_FALSE(pond.report(lease, 1, device_time(8'000'000'000)).refused);
}

TEST_CASE("waiting costs nothing") {
  Pond pond(patient());
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(20s);
  CHECK(pond.plane.meter().statement(lease.id)->total == Money{0});
}

TEST_CASE("the last report of an ended lease counts until its devices are free") {
  Pond pond;
  const ExecutorId host = pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(1s);
  pond.apply(ReleaseLease{lease.id, lease.epoch});
  CHECK_FALSE(pond.report(lease, 1, device_time(1'000'000'000)).refused);
  pond.apply(DevicesFreed{host, lease.id, lease.epoch});
  CHECK(pond.report(lease, 2, device_time(1)).refused);
  CHECK(pond.plane.meter().statement(lease.id)->total == Money{10'000});
}

// 1 s before midnight and 2 s after it, on cpu.
TEST_CASE("use is summed per account and day") {
  Pond pond({}, {}, Instant{kStart.ns - 2'000'000'000});
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(1s);
  pond.report(lease, 1, device_time(1'000'000'000));
  pond.pass(3s);
  pond.report(lease, 2, device_time(2'000'000'000));
  const auto days = pond.plane.meter().days(pond.account, 0);
  REQUIRE(days.size() == 2);
  CHECK(days[0].day == 20453);
  CHECK(days[0].amount == Money{10'000});
  CHECK(days[1].day == 20454);
  CHECK(days[1].amount == Money{20'000});
  CHECK(days[1].usage.steps == 1);
  CHECK(pond.plane.meter().days(pond.account, 20454).size() == 1);
}

TEST_CASE("a report out of range is refused whole") {
  Pond pond;
  pond.join("host", 1);
  const Lease lease = pond.lease(1, 1);
  pond.pass(1s);
  Usage usage = device_time(1'000'000'000);
  usage.bytes_in = -1;
  const Actions actions = pond.report(lease, 1, usage);
  REQUIRE(actions.refused);
  CHECK(actions.refused->message ==
        "usage report 1 of lease 1: bytes_in -1 is out of [0, 1125899906842624]");
  CHECK(pond.plane.meter().usage(lease.id) == Usage{});
  CHECK(pond.report(lease, 0, device_time(1)).refused);
}
