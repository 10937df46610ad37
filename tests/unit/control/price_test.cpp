#include <doctest/doctest.h>

#include "gateway/meter/price_table.h"
#include "gateway/meter/usage_meter.h"

using namespace penstock;
using namespace penstock::gateway;

// By hand: 1.5 s at 10,000 billionths per second are 15,000; 3/2 and 1/2 round upwards.
TEST_CASE("a charge is the exact product, rounded once with halves upwards") {
  CHECK(charge_for(1'500'000'000, 10'000, 1'000'000'000).value() == Money{15'000});
  CHECK(charge_for(3, 1, 2).value() == Money{2});
  CHECK(charge_for(1, 1, 2).value() == Money{1});
  CHECK(charge_for(49'999, 10'000, 1'000'000'000).value() == Money{0});
  CHECK(charge_for(50'000, 10'000, 1'000'000'000).value() == Money{1});
  CHECK(charge_for(0, 10'000, 1'000'000'000).value() == Money{0});
}

// 2^60 ns * 10^15 / 10^9 is 2^60 * 10^6: past 2^62, although the product itself was computed.
TEST_CASE("a charge past 2^62 billionths is an error that names its factors") {
  const auto too_much = charge_for(std::int64_t{1} << 60, kPriceNanosMax, 1'000'000'000);
  REQUIRE_FALSE(too_much.ok());
  CHECK(too_much.error().message ==
        "charge: quantity 1152921504606846976 at 1000000000000000 billionths is more than 2^62 "
        "billionths");
  CHECK_FALSE(charge_for(-1, 1, 1).ok());
}

// 3600 s * 10,000 billionths = 36,000,000 billionths of a dollar.
TEST_CASE("an hour of one standard cpu device costs 3.6 cents") {
  const Price cpu = PriceTable::standard().find("cpu").value();
  CHECK(charge_for(3'600'000'000'000, cpu.nanos_per_device_second, 1'000'000'000).value() ==
        Money{36'000'000});
}

TEST_CASE("a price table takes classes and prices within their bounds only") {
  PriceTable table;
  CHECK(table.set("npu", {.nanos_per_device_second = 5}).ok());
  CHECK(table.find("npu")->nanos_per_device_second == 5);
  CHECK_FALSE(table.find("gpu").has_value());
  CHECK_FALSE(table.set("", {}).ok());
  CHECK_FALSE(table.set("npu", {.nanos_per_device_second = -1}).ok());
  CHECK_FALSE(table.set("npu", {.nanos_per_gib_out = kPriceNanosMax + 1}).ok());
  CHECK(table.find("npu")->nanos_per_device_second == 5);
}

// 10,000 s of device time: 100,000,000; half a GiB in at 4: 2; three quarters out at 2: 1.5 -> 2.
TEST_CASE("a statement has one line per quantity") {
  const Price price{
      .nanos_per_device_second = 10'000, .nanos_per_gib_in = 4, .nanos_per_gib_out = 2};
  const Usage usage{.device_nanoseconds = 10'000'000'000'000,
                    .bytes_in = 536'870'912,
                    .bytes_out = 805'306'368,
                    .steps = 7};
  const auto lines = statement_lines(usage, price).value();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].amount == Money{100'000'000});
  CHECK(lines[1].amount == Money{2});
  CHECK(lines[2].amount == Money{2});
}

// `date -u -d 2026-01-01 +%s` / 86400 = 20454.
TEST_CASE("days are counted from 1970 in UTC") {
  CHECK(day_of(Instant{1'767'225'600'000'000'000}) == 20454);
  CHECK(day_of(Instant{1'767'225'599'999'999'999}) == 20453);
}
