// One list of tests, run on KJ's own loop and on ours: what holds there must hold here.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <kj/async-io.h>
#include <kj/io.h>
#include <kj/thread.h>
#include <kj/vector.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop_fixture.h"
#include "temporary_directory.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

namespace {

/// The loop that KJ brings, behind the face of ours.
class KjLoop {
 public:
  kj::WaitScope& wait_scope() { return context_.waitScope; }
  kj::AsyncIoProvider& provider() { return *context_.provider; }
  kj::LowLevelAsyncIoProvider& low_level() { return *context_.lowLevelProvider; }
  kj::Timer& timer() { return context_.provider->getTimer(); }

 private:
  kj::AsyncIoContext context_ = kj::setupAsyncIo();
};

class OurLoop {
 public:
  kj::WaitScope& wait_scope() { return loop_->wait_scope(); }
  kj::AsyncIoProvider& provider() { return loop_->provider(); }
  kj::LowLevelAsyncIoProvider& low_level() { return loop_->low_level(); }
  kj::Timer& timer() { return loop_->timer(); }

 private:
  std::unique_ptr<EventLoop> loop_ = make_loop();
};

template <class Loop, class T>
T await(Loop& loop, kj::Promise<T> promise) {
  return with_deadline(loop.timer(), kDeadline, kj::mv(promise), "the test")
      .wait(loop.wait_scope());
}

template <class Loop>
std::string read_exactly(Loop& loop, kj::AsyncInputStream& stream, std::size_t size) {
  std::string text(size, '\0');
  text.resize(await(loop, stream.tryRead(text.data(), size, size)));
  return text;
}

struct Pair {
  kj::Own<kj::AsyncIoStream> client;
  kj::Own<kj::AsyncIoStream> server;
};

template <class Loop>
Pair connect_to(Loop& loop, const std::string& address) {
  auto& network = loop.provider().getNetwork();
  auto listener = await(loop, network.parseAddress(address.c_str()))->listen();
  std::string where = address;
  if (address.substr(0, 5) != "unix:") where = "127.0.0.1:" + std::to_string(listener->getPort());
  auto target = await(loop, network.parseAddress(where.c_str()));
  auto accepted = listener->accept();
  auto client = await(loop, target->connect());
  return {kj::mv(client), await(loop, kj::mv(accepted))};
}

}  // namespace

#define PENSTOCK_LOOPS KjLoop, OurLoop

TEST_CASE_TEMPLATE("TCP carries bytes both ways", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = connect_to(loop, "127.0.0.1:0");
  await(loop, pair.client->write("question", 8));
  CHECK(read_exactly(loop, *pair.server, 8) == "question");
  await(loop, pair.server->write("answer", 6));
  CHECK(read_exactly(loop, *pair.client, 6) == "answer");
}

TEST_CASE_TEMPLATE("a Unix socket carries bytes both ways", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  const TemporaryDirectory directory;
  auto pair = connect_to(loop, "unix:" + directory.path("socket"));
  await(loop, pair.client->write("question", 8));
  CHECK(read_exactly(loop, *pair.server, 8) == "question");
}

TEST_CASE_TEMPLATE("a connection that nobody accepts is refused", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto& network = loop.provider().getNetwork();
  auto listener = await(loop, network.parseAddress("127.0.0.1:0"))->listen();
  const std::string where = "127.0.0.1:" + std::to_string(listener->getPort());
  auto target = await(loop, network.parseAddress(where.c_str()));
  listener = nullptr;
  auto result = await(loop, settle(target->connect()));
  REQUIRE_FALSE(result.ok());
  CHECK(contains(result.error().message, "Connection refused"));
}

TEST_CASE_TEMPLATE("gathered pieces arrive in order, empty ones and many of them too", Loop,
                   PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = loop.provider().newTwoWayPipe();
  kj::Vector<kj::ArrayPtr<const kj::byte>> pieces;
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    pieces.add(kj::StringPtr("abc").asBytes());
    pieces.add(nullptr);
    expected += "abc";
  }
  auto written = pair.ends[0]->write(pieces);
  CHECK(read_exactly(loop, *pair.ends[1], expected.size()) == expected);
  await(loop, kj::mv(written));
}

TEST_CASE_TEMPLATE("a large transfer arrives whole while both sides wait for each other", Loop,
                   PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = connect_to(loop, "127.0.0.1:0");
  const std::string sent = pattern(20'000'000);
  std::string received(sent.size(), '\0');
  auto written = pair.client->write(sent.data(), sent.size());
  auto read = pair.server->tryRead(received.data(), received.size(), received.size());
  CHECK(await(loop, kj::mv(read)) == sent.size());
  await(loop, kj::mv(written));
  CHECK(received == sent);
}

TEST_CASE_TEMPLATE("a half-closed stream ends for the reader and still carries the answer", Loop,
                   PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = connect_to(loop, "127.0.0.1:0");
  pair.client->shutdownWrite();
  CHECK(read_exactly(loop, *pair.server, 1).empty());
  await(loop, pair.server->write("late", 4));
  CHECK(read_exactly(loop, *pair.client, 4) == "late");
}

TEST_CASE_TEMPLATE("a read that wants more than came before the end gives what came", Loop,
                   PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = loop.provider().newTwoWayPipe();
  await(loop, pair.ends[0]->write("abc", 3));
  pair.ends[0] = nullptr;
  CHECK(read_exactly(loop, *pair.ends[1], 10) == "abc");
}

TEST_CASE_TEMPLATE("a peer that goes away is noticed without writing", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  const TemporaryDirectory directory;
  auto pair = connect_to(loop, "unix:" + directory.path("socket"));
  auto gone = pair.server->whenWriteDisconnected();
  pair.client = nullptr;
  await(loop, kj::mv(gone));
}

TEST_CASE_TEMPLATE("writing to a peer that has gone fails and does not kill us", Loop,
                   PENSTOCK_LOOPS) {
  Loop loop;
  const TemporaryDirectory directory;
  auto pair = connect_to(loop, "unix:" + directory.path("socket"));
  pair.client = nullptr;
  auto result = await(loop, settle(kj::evalNow([&pair]() { return pair.server->write("x", 1); })));
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == ErrorCode::unavailable);
}

TEST_CASE_TEMPLATE("a file descriptor passes over a Unix socket", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = loop.provider().newCapabilityPipe();
  kj::AutoCloseFd file(::memfd_create("passed", MFD_CLOEXEC));
  REQUIRE(::write(file, "through", 7) == 7);
  auto sent = pair.ends[0]->sendFd(file);
  kj::AutoCloseFd received = await(loop, pair.ends[1]->receiveFd());
  await(loop, kj::mv(sent));
  CHECK(received.get() != file.get());
  char text[8] = {};
  REQUIRE(::pread(received, text, 7, 0) == 7);
  CHECK(std::string(text) == "through");
  CHECK((::fcntl(received, F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE_TEMPLATE("a stream passes over a Unix socket and still works", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto carrier = loop.provider().newCapabilityPipe();
  auto passed = loop.provider().newCapabilityPipe();
  auto sent = carrier.ends[0]->sendStream(kj::mv(passed.ends[0]));
  auto received = await(loop, carrier.ends[1]->receiveStream());
  await(loop, kj::mv(sent));
  await(loop, received->write("hello", 5));
  CHECK(read_exactly(loop, *passed.ends[1], 5) == "hello");
}

TEST_CASE_TEMPLATE("timers fire in the order of their times", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  std::string order;
  auto late = loop.timer().afterDelay(8 * kj::MILLISECONDS).then([&order]() { order += "late"; });
  auto soon = loop.timer().afterDelay(2 * kj::MILLISECONDS).then([&order]() { order += "soon "; });
  auto late_done = late.eagerlyEvaluate(nullptr);
  auto soon_done = soon.eagerlyEvaluate(nullptr);
  await(loop, kj::mv(late_done));
  CHECK(order == "soon late");
}

TEST_CASE_TEMPLATE("another thread wakes the loop", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = kj::newPromiseAndCrossThreadFulfiller<int>();
  kj::Thread thread([fulfiller = kj::mv(pair.fulfiller)]() mutable { fulfiller->fulfill(42); });
  CHECK(await(loop, kj::mv(pair.promise)) == 42);
}

TEST_CASE_TEMPLATE("another thread runs a function in the loop and gets its value", Loop,
                   PENSTOCK_LOOPS) {
  Loop loop;
  auto done = kj::newPromiseAndCrossThreadFulfiller<int>();
  const kj::Executor& executor = kj::getCurrentThreadExecutor();
  int touched = 0;
  kj::Thread thread([&executor, &touched, fulfiller = kj::mv(done.fulfiller)]() mutable {
    const int value = executor.executeSync([&touched]() { return ++touched; });
    fulfiller->fulfill(kj::cp(value));
  });
  CHECK(await(loop, kj::mv(done.promise)) == 1);
  CHECK(touched == 1);
}

TEST_CASE_TEMPLATE("polling does not block and runs what is ready", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = loop.provider().newTwoWayPipe();
  char byte = 0;
  auto read = pair.ends[1]->tryRead(&byte, 1, 1);
  CHECK_FALSE(read.poll(loop.wait_scope()));
  await(loop, pair.ends[0]->write("x", 1));
  CHECK(read.poll(loop.wait_scope()));
  CHECK(read.wait(loop.wait_scope()) == 1);
}

TEST_CASE_TEMPLATE("a dropped read leaves the bytes for the next one", Loop, PENSTOCK_LOOPS) {
  Loop loop;
  auto pair = loop.provider().newTwoWayPipe();
  char byte = 0;
  {
    auto dropped = pair.ends[1]->tryRead(&byte, 1, 1);
    CHECK_FALSE(dropped.poll(loop.wait_scope()));
  }
  await(loop, pair.ends[0]->write("xy", 2));
  CHECK(read_exactly(loop, *pair.ends[1], 2) == "xy");
}

TEST_CASE("our timer counts a delay from the call, not from when the loop last slept") {
  auto loop = make_loop();
  const kj::TimePoint stale = loop->timer().now();
  const auto& clock = kj::systemPreciseMonotonicClock();
  const kj::TimePoint start = clock.now();
  // Work that does not let the loop sleep.
  while (clock.now() - start < 3 * kj::MILLISECONDS) {
  }
  CHECK(loop->timer().now() == stale);
  const kj::TimePoint asked = clock.now();
  wait_for(*loop, loop->timer().afterDelay(5 * kj::MILLISECONDS));
  CHECK(clock.now() - asked >= 5 * kj::MILLISECONDS);
}
