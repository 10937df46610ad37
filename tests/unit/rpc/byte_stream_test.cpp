#include "schema/wire/byte_stream.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/net/event_loop.h"
#include "base/net/rpc_error.h"

using namespace penstock;

namespace {

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 31 + i / 251);
  return out;
}

Status transfer(std::size_t sent, std::size_t expected, std::vector<std::byte>& into,
                int& finished) {
  auto loop = net::EventLoop::create().value();
  const auto from = pattern(sent);
  into.assign(expected, std::byte{});
  auto sink = wire::receive_bytes(into, kj::heap<int>(0), [&finished]() { ++finished; });
  return net::wait_result(wire::send_bytes(kj::mv(sink), from), loop->wait_scope());
}

}  // namespace

TEST_CASE("bytes arrive as they were sent, chunk by chunk") {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{262144}, std::size_t{1000001}}) {
    std::vector<std::byte> into;
    int finished = 0;
    CHECK(transfer(size, size, into, finished).ok());
    CHECK(into == pattern(size));
    CHECK(finished == 1);
  }
}

TEST_CASE("a stream that is shorter or longer than announced is an error to its sender") {
  std::vector<std::byte> into;
  int finished = 0;
  const Status shorter = transfer(10, 11, into, finished);
  REQUIRE_FALSE(shorter.ok());
  CHECK(shorter.error() ==
        Error{ErrorCode::invalid_argument,
              "tensor stream: ended 1 bytes before the announced type was full"});
  CHECK_FALSE(transfer(12, 11, into, finished).ok());
  CHECK(finished == 0);
}
