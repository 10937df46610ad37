#include "base/net/rpc_error.h"

#include <doctest/doctest.h>
#include <kj/debug.h>

#include "base/net/coroutine.h"
#include "loop_fixture.h"

using namespace penstock;
using namespace penstock::net;

namespace {

kj::Exception exception(kj::Exception::Type type, const char* text) {
  return kj::Exception(type, "file.c++", 1, kj::heapString(text));
}

}  // namespace

TEST_CASE("every error code survives the exception") {
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    const Error error{static_cast<ErrorCode>(i), "lease 7: [odd] text"};
    CHECK(from_exception(to_exception(error)) == error);
  }
}

TEST_CASE("an error that came through two relays is read like a local one") {
  CHECK(from_exception(
            exception(kj::Exception::Type::FAILED,
                      "remote exception: remote exception: [not_found] lease 7: no such lease")) ==
        Error{ErrorCode::not_found, "lease 7: no such lease"});
}

TEST_CASE("exceptions that are not ours get a code from their type") {
  using Type = kj::Exception::Type;
  CHECK(from_exception(exception(Type::DISCONNECTED, "Peer disconnected.")).code ==
        ErrorCode::unavailable);
  CHECK(from_exception(exception(Type::OVERLOADED, "too many")).code ==
        ErrorCode::resource_exhausted);
  CHECK(from_exception(exception(Type::UNIMPLEMENTED, "no method")).code ==
        ErrorCode::unimplemented);
  CHECK(from_exception(exception(Type::FAILED, "[strange] text")) ==
        Error{ErrorCode::internal, "[strange] text"});
}

TEST_CASE("the exception's type tells retry from give up") {
  using Type = kj::Exception::Type;
  CHECK(to_exception({ErrorCode::unavailable, "x"}).getType() == Type::DISCONNECTED);
  CHECK(to_exception({ErrorCode::resource_exhausted, "x"}).getType() == Type::OVERLOADED);
  CHECK(to_exception({ErrorCode::unimplemented, "x"}).getType() == Type::UNIMPLEMENTED);
  CHECK(to_exception({ErrorCode::invalid_argument, "x"}).getType() == Type::FAILED);
}

TEST_CASE("or_throw and catch_error are each other's inverse") {
  CHECK(*catch_error([]() { return or_throw(Result<int>(7)); }) == 7);
  CHECK(catch_error([]() { return or_throw(Result<int>(invalid("no"))); }).error() ==
        invalid("no"));
}
