#include "schema/wire/version.h"

#include <capnp/message.h>
#include <doctest/doctest.h>

using namespace penstock;

namespace {

Status check(std::uint32_t major, std::uint32_t minor, const char* software = "penstock 9") {
  capnp::MallocMessageBuilder message;
  auto version = message.initRoot<wire::Version>();
  version.setMajor(major);
  version.setMinor(minor);
  version.setSoftware(software);
  return wire::check_version(version.asReader(), "gateway");
}

}  // namespace

TEST_CASE("a peer of our own major version is served whatever its minor one") {
  CHECK(check(wire::kProtocolMajor, 0).ok());
  CHECK(check(wire::kProtocolMajor, 99).ok());
}

TEST_CASE("a newer peer is refused with both versions and told to wait for us") {
  const Status status = check(2, 3);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::failed_precondition);
  CHECK(status.error().message ==
        "protocol versions differ: the gateway (penstock 9) speaks 2.3, this side (penstock 0.1.0) "
        "speaks 1.0; update this side");
}

TEST_CASE("an older peer is told to update itself") {
  CHECK(check(0, 1).error().message.ends_with("update the gateway"));
}

TEST_CASE("a peer's text cannot put control characters into our messages") {
  CHECK(check(2, 0, "evil\n\x1b[31m").error().message.find('\n') == std::string::npos);
}
