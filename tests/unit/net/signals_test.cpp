#include "base/net/signals.h"

#include <doctest/doctest.h>
#include <signal.h>

#include "loop_fixture.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

TEST_CASE("a signal becomes a promise instead of an end") {
  auto loop = make_loop();
  SignalWatcher signals(*loop, {SIGTERM, SIGINT});
  auto next = signals.next();
  REQUIRE(::raise(SIGTERM) == 0);
  CHECK(wait_for(*loop, kj::mv(next)) == SIGTERM);
}

TEST_CASE("a signal that comes before anyone waits is kept") {
  auto loop = make_loop();
  SignalWatcher signals(*loop, {SIGTERM, SIGINT});
  REQUIRE(::raise(SIGINT) == 0);
  wait_for(*loop, loop->timer().afterDelay(1 * kj::MILLISECONDS));
  CHECK(wait_for(*loop, signals.next()) == SIGINT);
}
