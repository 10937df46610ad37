#include "base/units.h"

#include <doctest/doctest.h>

#include "base/clock.h"

using namespace penstock;

TEST_CASE("sizes read in binary and decimal units") {
  CHECK(parse_bytes("512").value() == 512);
  CHECK(parse_bytes("64KiB").value() == 65536);
  CHECK(parse_bytes("2GiB").value() == 2147483648);
  CHECK(parse_bytes("1.5GiB").value() == 1610612736);
  CHECK(parse_bytes("2GB").value() == 2000000000);
}

TEST_CASE("a size that is none says what was expected") {
  CHECK(parse_bytes("much").error().code == ErrorCode::invalid_argument);
  CHECK(parse_bytes("2 parsecs").error().message ==
        "size '2 parsecs': unknown unit ' parsecs'; use B, KiB, MiB, GiB or TiB");
  CHECK_FALSE(parse_bytes("-1").ok());
  CHECK_FALSE(parse_bytes("99999999TiB").ok());
}

TEST_CASE("sizes, spans and money print with three digits") {
  CHECK(format_bytes(512) == "512 B");
  CHECK(format_bytes(1536) == "1.5 KiB");
  CHECK(format_bytes(2147483648) == "2 GiB");
  CHECK(format_duration(1234us) == "1.23 ms");
  CHECK(format_duration(123s) == "2 min 3 s");
  CHECK(format_money({1500000000}) == "$1.50");
  CHECK(format_money({123000}) == "$0.000123");
  CHECK(format_money({-123000}) == "-$0.000123");
}

TEST_CASE("overflow is told, not wrapped") {
  CHECK(checked_mul(1LL << 31, 1LL << 31).value() == 1LL << 62);
  CHECK_FALSE(checked_mul(1LL << 32, 1LL << 32).ok());
  CHECK_FALSE(checked_add(INT64_MAX, 1).ok());
}

TEST_CASE("a manual clock moves only when told") {
  ManualClock clock({5});
  CHECK(clock.now() == Instant{5});
  clock.advance(10ns);
  CHECK(clock.now() == Instant{15});
}
