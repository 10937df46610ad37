#include "base/net/address.h"

#include <doctest/doctest.h>

using namespace penstock;
using namespace penstock::net;

namespace {

const std::string kPrint(64, 'a');

std::string error_text(std::string_view text) {
  auto address = parse_address(text);
  REQUIRE_FALSE(address.ok());
  CHECK(address.error().code == ErrorCode::invalid_argument);
  return address.error().message;
}

}  // namespace

TEST_CASE("a URL gives host, port and fingerprint") {
  auto address = parse_address("penstock://gpu.example.org:7400?fingerprint=" + kPrint);
  REQUIRE(address.ok());
  CHECK(*address == Address{"gpu.example.org", 7400, "", kPrint});
  CHECK(address->url() == "penstock://gpu.example.org:7400?fingerprint=" + kPrint);
  CHECK(address->dial_text() == "gpu.example.org:7400");
}

TEST_CASE("a bare host and port is an address too") {
  CHECK(*parse_address("127.0.0.1:80") == Address{"127.0.0.1", 80, "", ""});
}

TEST_CASE("an IPv6 address keeps its brackets when it is dialled") {
  auto address = parse_address("penstock://[::1]:7400");
  REQUIRE(address.ok());
  CHECK(address->host == "::1");
  CHECK(address->dial_text() == "[::1]:7400");
}

TEST_CASE("a Unix socket is its path") {
  auto address = parse_address("unix:/run/penstock/gateway.sock");
  REQUIRE(address.ok());
  CHECK(address->is_unix());
  CHECK(address->url() == "unix:/run/penstock/gateway.sock");
}

TEST_CASE("what is wrong with an address is said") {
  CHECK(error_text("gpu.example.org").find("the port is missing") != std::string::npos);
  CHECK(error_text("host:70000").find("0 to 65535") != std::string::npos);
  CHECK(error_text("host:12x").find("0 to 65535") != std::string::npos);
  CHECK(error_text(":80").find("the host is missing") != std::string::npos);
  CHECK(error_text("::1:80").find("brackets") != std::string::npos);
  CHECK(error_text("http://host:80").find("scheme") != std::string::npos);
  CHECK(error_text("unix:").find("path") != std::string::npos);
  CHECK(error_text("unix:/" + std::string(107, 'x')).find("at most 107") != std::string::npos);
  CHECK(error_text("host:80?fingerprint=abc").find("3 hex digits") != std::string::npos);
  CHECK(error_text("host:80?key=1").find("only parameter") != std::string::npos);
  CHECK(error_text("").find("the port is missing") != std::string::npos);
}

TEST_CASE("a fingerprint with colons and capitals is the same fingerprint") {
  std::string with_colons;
  for (int i = 0; i < 32; ++i) with_colons += i == 0 ? "AB" : ":AB";
  std::string plain;
  for (int i = 0; i < 32; ++i) plain += "ab";
  CHECK(*parse_fingerprint(with_colons) == plain);
}
