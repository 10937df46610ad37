#include "base/net/coroutine.h"

#include <doctest/doctest.h>

#include "loop_fixture.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

namespace {

struct Flag {
  explicit Flag(bool& set) : set_(set) {}
  ~Flag() { set_ = true; }
  bool& set_;
};

Task<int> add_later(int a, int b) {
  co_await kj::evalLater([]() {});
  co_return a + b;
}

Task<int> add_three(int a, int b, int c) {
  const int ab = co_await add_later(a, b);
  const int abc = co_await add_later(ab, c);
  co_return abc;
}

Task<int> fail_later() {
  co_await kj::evalLater([]() {});
  throw_error({ErrorCode::not_found, "nothing here"});
  co_return 0;
}

Task<std::string> catch_failure() {
  std::string text;
  try {
    co_await fail_later();
  } catch (const kj::Exception& e) {
    text = from_exception(e).message;
  }
  co_return text;
}

Task<void> wait_for_ever(bool& destroyed) {
  Flag flag(destroyed);
  co_await kj::Promise<void>(kj::NEVER_DONE);
}

}  // namespace

TEST_CASE("a coroutine gives what it returns") {
  auto loop = make_loop();
  CHECK(wait_for(*loop, add_three(1, 2, 4).promise()) == 7);
}

TEST_CASE("an exception in a coroutine reaches whoever awaits it") {
  auto loop = make_loop();
  CHECK(wait_for(*loop, catch_failure().promise()) == "nothing here");
  CHECK(error_of(*loop, fail_later().promise()).code == ErrorCode::not_found);
}

TEST_CASE("dropping its promise cancels a coroutine") {
  auto loop = make_loop();
  bool destroyed = false;
  {
    auto task = wait_for_ever(destroyed);
    CHECK_FALSE(destroyed);
  }
  CHECK(destroyed);
}

TEST_CASE("a deadline that passes names what was waited for") {
  auto loop = make_loop();
  bool destroyed = false;
  const Error error = error_of(
      *loop, with_deadline(loop->timer(), 5ms, wait_for_ever(destroyed), "heartbeat of worker 3"));
  CHECK(error ==
        Error{ErrorCode::deadline_exceeded, "heartbeat of worker 3: no answer within 5 ms"});
  CHECK(destroyed);
}

TEST_CASE("a deadline does not disturb what is in time") {
  auto loop = make_loop();
  CHECK(with_deadline(loop->timer(), kDeadline, add_later(2, 3), "sum").wait(loop->wait_scope()) ==
        5);
}
