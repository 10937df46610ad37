#include "executor/worker/rank_message.h"

#include <doctest/doctest.h>

#include <cstring>

#include "executor/collectives/loopback_transport.h"
#include "executor/worker/command.h"
#include "executor/worker/communicate_thread.h"

using namespace penstock;
using namespace penstock::executor;

namespace {

std::vector<std::byte> pattern(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + size);
  return bytes;
}

bool same(const Buffer& buffer, const std::vector<std::byte>& bytes) {
  return buffer.size() == bytes.size() &&
         std::memcmp(buffer.bytes().data(), bytes.data(), bytes.size()) == 0;
}

}  // namespace

TEST_CASE("messages of every size arrive whole and in order, under buffered and rendezvous sends") {
  for (const auto mode : {collectives::SendMode::buffered, collectives::SendMode::rendezvous}) {
    const MonotonicClock clock;
    const auto network = collectives::LoopbackNetwork::create({.ranks = 2, .mode = mode}, clock);
    const auto pool = BufferPool::create(kMiB);
    int sent = 0;
    std::vector<IncomingMessage> arrived;
    MessageSender sender(network->at(0), {1, kCommandTag});
    MessageReceiver receiver(
        network->at(1), pool, clock,
        {.from = {0, kCommandTag},
         .body_bytes_max = 100000,
         .sizes = [](std::string_view body) -> Result<std::vector<std::uint64_t>> {
           PENSTOCK_ASSIGN(auto decoded, decode_command(body));
           return std::move(decoded.blob_bytes);
         },
         .deliver = [&](IncomingMessage message) { arrived.push_back(std::move(message)); }});
    const auto small = pattern(3), large = pattern(100000);
    const std::vector<std::size_t> texts = {0, 400, 600, 50000};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      Command command;
      command.sequence = i;
      command.name = std::string(texts[i], 'p');
      OutgoingMessage message;
      message.body = encode(command, {3, 0, 100000});
      message.blobs = {small, {}, large};
      message.sent = [&] { ++sent; };
      REQUIRE(sender.send(std::move(message)).ok());
    }
    const Instant give_up = clock.now() + 20s;
    while ((arrived.size() < texts.size() || sent < 4) && clock.now() < give_up) {
      REQUIRE(receiver.poll().ok());
      REQUIRE(sender.poll().ok());
      network->at(0).idle(clock.now());
      network->at(1).idle(clock.now());
    }
    REQUIRE(arrived.size() == texts.size());
    CHECK(sent == 4);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto command = decode_command(arrived[i].body);
      REQUIRE(command.ok());
      CHECK(command->body.sequence == i);
      CHECK(command->body.name.size() == texts[i]);
      CHECK(same(arrived[i].blobs[0], small));
      CHECK(arrived[i].blobs[1].size() == 0);
      CHECK(same(arrived[i].blobs[2], large));
    }
  }
}

TEST_CASE("a body larger than the bound is refused before anything is allocated for it") {
  const MonotonicClock clock;
  const auto network = collectives::LoopbackNetwork::create({.ranks = 2}, clock);
  const auto pool = BufferPool::create(0);
  MessageSender sender(network->at(0), {1, kCommandTag});
  MessageReceiver receiver(network->at(1), pool, clock,
                           {.from = {0, kCommandTag},
                            .body_bytes_max = 1000,
                            .sizes = {},
                            .deliver = [](IncomingMessage) {}});
  OutgoingMessage message;
  message.body = std::string(1001, 'x');
  REQUIRE(receiver.poll().ok());
  REQUIRE(sender.send(std::move(message)).ok());
  Result<bool> polled = false;
  const Instant give_up = clock.now() + 20s;
  while (polled.ok() && clock.now() < give_up) {
    network->at(0).idle(clock.now());
    network->at(1).idle(clock.now());
    polled = receiver.poll();
  }
  REQUIRE_FALSE(polled.ok());
  CHECK(polled.error().code == ErrorCode::data_loss);
}
