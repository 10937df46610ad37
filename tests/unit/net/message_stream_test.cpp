#include "base/net/message_stream.h"

#include <capnp/any.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loop_fixture.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

namespace {

/// Two message streams over a pipe whose raw ends a test may use instead.
struct MessagePair {
  explicit MessagePair(MessageLimits limits = {})
      : pipe(loop->provider().newCapabilityPipe()),
        left(static_cast<kj::AsyncIoStream&>(*pipe.ends[0]), *pool, limits),
        right(static_cast<kj::AsyncIoStream&>(*pipe.ends[1]), *pool, limits) {}

  std::string receive() {
    auto message = wait_for(*loop, right.readMessage(receive_options({})));
    auto data = message->getRoot<capnp::AnyPointer>().getAs<capnp::Data>();
    return std::string(reinterpret_cast<const char*>(data.begin()), data.size());
  }

  std::unique_ptr<EventLoop> loop = make_loop();
  kj::Own<BufferPool> pool = kj::refcounted<BufferPool>(64 * kMiB);
  kj::CapabilityPipe pipe;
  MessageStream left;
  MessageStream right;
};

struct DataMessage {
  explicit DataMessage(const std::string& bytes, kj::uint first_segment_words = 1024)
      : builder(first_segment_words, capnp::AllocationStrategy::FIXED_SIZE) {
    builder.getRoot<capnp::AnyPointer>().setAs<capnp::Data>(
        kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
  }
  capnp::MallocMessageBuilder builder;
};

std::string header(std::uint32_t segments_minus_1, std::uint32_t words) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 4; ++i) {
    bytes[static_cast<std::size_t>(i)] = static_cast<char>(segments_minus_1 >> (8 * i));
    bytes[static_cast<std::size_t>(4 + i)] = static_cast<char>(words >> (8 * i));
  }
  return bytes;
}

}  // namespace

TEST_CASE("messages of all sizes arrive in order") {
  MessagePair pair;
  for (std::size_t size : {0, 1, 7, 100, 16'000, 17'000, 40'000, 70'000, 2'000'000, 3}) {
    const std::string bytes = pattern(size);
    DataMessage message(bytes);
    auto written = pair.left.writeMessage(message.builder).eagerlyEvaluate(nullptr);
    CHECK((pair.receive() == bytes));
    wait_for(*pair.loop, kj::mv(written));
  }
}

TEST_CASE("what Cap'n Proto's own writer sends is read, segments and all") {
  MessagePair pair;
  for (kj::uint first_words : {1u, 2u, 3u, 64u}) {
    const std::string bytes = pattern(50'000);
    DataMessage message(bytes, first_words);
    REQUIRE(message.builder.getSegmentsForOutput().size() > 1);
    auto written =
        capnp::writeMessage(*pair.pipe.ends[0], message.builder).eagerlyEvaluate(nullptr);
    CHECK((pair.receive() == bytes));
    wait_for(*pair.loop, kj::mv(written));
  }
}

TEST_CASE("Cap'n Proto's own reader reads what we send, segments and all") {
  MessagePair pair;
  for (kj::uint first_words : {1u, 2u, 3u, 5000u}) {
    const std::string bytes = pattern(30'000);
    DataMessage message(bytes, first_words);
    auto written = pair.left.writeMessage(message.builder).eagerlyEvaluate(nullptr);
    auto received = wait_for(*pair.loop, capnp::readMessage(*pair.pipe.ends[1]));
    wait_for(*pair.loop, kj::mv(written));
    auto data = received->getRoot<capnp::AnyPointer>().getAs<capnp::Data>();
    CHECK((std::string(reinterpret_cast<const char*>(data.begin()), data.size()) == bytes));
  }
}

TEST_CASE("small messages that are written together travel together and stay apart") {
  MessagePair pair;
  std::vector<std::unique_ptr<DataMessage>> messages;
  for (int i = 0; i < 100; ++i) {
    messages.push_back(std::make_unique<DataMessage>("message " + std::to_string(i)));
    wait_for(*pair.loop, pair.left.writeMessage(messages.back()->builder));
  }
  for (int i = 0; i < 100; ++i) CHECK(pair.receive() == "message " + std::to_string(i));
}

TEST_CASE("a batch of messages is written in order") {
  MessagePair pair;
  DataMessage one("one");
  DataMessage two(pattern(100'000));
  DataMessage three("three");
  capnp::MessageBuilder* builders[] = {&one.builder, &two.builder, &three.builder};
  auto written = pair.left.writeMessages(kj::arrayPtr(builders, 3)).eagerlyEvaluate(nullptr);
  CHECK(pair.receive() == "one");
  CHECK((pair.receive() == pattern(100'000)));
  CHECK(pair.receive() == "three");
  wait_for(*pair.loop, kj::mv(written));
}

TEST_CASE("a header that claims too much is refused before anything is allocated") {
  MessageLimits limits;
  limits.message_bytes_max = 1 * kMiB;
  MessagePair pair(limits);
  const std::string claim = header(0, 1u << 28);  // 2 GiB
  wait_for(*pair.loop, pair.pipe.ends[0]->write(claim.data(), claim.size()));
  const Error error = error_of(*pair.loop, pair.right.readMessage(receive_options(limits)));
  CHECK(error.code == ErrorCode::resource_exhausted);
  CHECK(contains(error.message, "claims 2 GiB"));
  CHECK(contains(error.message, "limit is 1 MiB"));
  CHECK(pair.pool->allocated_count() == 0);
}

TEST_CASE("garbage is refused") {
  MessagePair pair;
  wait_for(*pair.loop, pair.pipe.ends[0]->write("GET / HTTP/1.1\r\n\r\n", 18));
  CHECK(contains(error_of(*pair.loop, pair.right.readMessage()).message, "segments"));
  CHECK(pair.pool->allocated_count() == 0);
}

TEST_CASE("a message one word under the limit passes and one over it does not") {
  MessageLimits limits;
  limits.message_bytes_max = 80'000;
  MessagePair pair(limits);
  DataMessage fits(pattern(80'000 - 8), 20'000);  // and the root pointer
  auto written = pair.left.writeMessage(fits.builder).eagerlyEvaluate(nullptr);
  CHECK((pair.receive() == pattern(80'000 - 8)));
  wait_for(*pair.loop, kj::mv(written));
  DataMessage over(pattern(80'000), 20'000);
  const Error error = error_of(*pair.loop, pair.left.writeMessage(over.builder));
  CHECK(error.code == ErrorCode::resource_exhausted);
  CHECK(contains(error.message, "stream of chunks"));
}

TEST_CASE("receive buffers are used again") {
  MessagePair pair;
  const std::string bytes = pattern(1'000'000);
  DataMessage message(bytes);
  const capnp::word* first = nullptr;
  for (int i = 0; i < 10; ++i) {
    auto written = pair.left.writeMessage(message.builder).eagerlyEvaluate(nullptr);
    auto received = wait_for(*pair.loop, pair.right.readMessage(receive_options({})));
    wait_for(*pair.loop, kj::mv(written));
    if (i == 0) first = received->getSegment(0).begin();
    CHECK(received->getSegment(0).begin() == first);
  }
  CHECK(pair.pool->allocated_count() == 1);
}

TEST_CASE("the pool keeps no more than it may") {
  auto pool = kj::refcounted<BufferPool>(100'000);
  auto small = pool->take(1000);
  auto large = pool->take(20'000);
  pool->give_back(kj::mv(large));
  CHECK(pool->kept_bytes() == 0);
  pool->give_back(kj::mv(small));
  CHECK(pool->kept_bytes() == 1024 * 8);
}

TEST_CASE("a stream that ends between messages ends") {
  MessagePair pair;
  DataMessage message("last");
  auto written = pair.left.writeMessage(message.builder).eagerlyEvaluate(nullptr);
  wait_for(*pair.loop, kj::mv(written));
  wait_for(*pair.loop, pair.left.end());
  CHECK(pair.receive() == "last");
  CHECK(wait_for(*pair.loop, pair.right.tryReadMessage()) == nullptr);
}

TEST_CASE("a stream that ends within a message breaks") {
  MessagePair broken;
  const std::string start = header(0, 4) + "only 16 of 32 by";
  wait_for(*broken.loop, broken.pipe.ends[0]->write(start.data(), start.size()));
  broken.pipe.ends[0]->shutdownWrite();
  CHECK(error_of(*broken.loop, broken.right.tryReadMessage()).code == ErrorCode::unavailable);
}

TEST_CASE("the stream window is the socket's send buffer unless we set it") {
  {
    MessagePair socket;
    CHECK(KJ_ASSERT_NONNULL(socket.left.getSendBufferSize()) > 0);
  }
  MessageLimits limits;
  limits.send_window_bytes = 123'456;
  MessagePair ours(limits);
  CHECK(KJ_ASSERT_NONNULL(ours.left.getSendBufferSize()) == 123'456);
}

TEST_CASE("file descriptors arrive with the message that they were sent with") {
  auto loop = make_loop();
  auto pool = kj::refcounted<BufferPool>(kMiB);
  auto pipe = loop->provider().newCapabilityPipe();
  MessageStream left(*pipe.ends[0], *pool, {});
  MessageStream right(*pipe.ends[1], *pool, {});
  kj::AutoCloseFd file(::memfd_create("sent", MFD_CLOEXEC));
  REQUIRE(::write(file, "content", 7) == 7);
  DataMessage plain("plain");
  DataMessage with("with");
  auto first = left.writeMessage(plain.builder).eagerlyEvaluate(nullptr);
  const int fds[] = {file.get()};
  auto second = left.writeMessage(kj::arrayPtr(fds, 1), with.builder).eagerlyEvaluate(nullptr);
  kj::AutoCloseFd space[2];
  auto got_plain = wait_for(*loop, right.readMessage(kj::arrayPtr(space, 2)));
  CHECK(got_plain.fds.size() == 0);
  auto got_with = wait_for(*loop, right.readMessage(kj::arrayPtr(space, 2)));
  REQUIRE(got_with.fds.size() == 1);
  char text[8] = {};
  CHECK(::pread(got_with.fds[0], text, 7, 0) == 7);
  CHECK(std::string(text) == "content");
  wait_for(*loop, kj::mv(first));
  wait_for(*loop, kj::mv(second));
}
