#include <doctest/doctest.h>

#include <atomic>

#include "tests/unit/collectives/mesh.h"

using namespace penstock;
using namespace penstock::collectives;
using namespace penstock::collectives::testing;

namespace {

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span<T>(values));
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an unready peer holds no more than the window") {
  // 4 MiB in chunks of 16 KiB would be 128 chunks a step; the window lets 4 of them lie there.
  constexpr std::uint64_t kChunk = 16 * kKiB;
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 2}, clock);
  auto fast = make_communicator(network->at(0), clock, {.chunk_bytes = kChunk, .window = 4});
  auto slow = make_communicator(network->at(1), clock, {.chunk_bytes = kChunk, .window = 4});
  std::vector<float> a(1 << 20, 1.0f);
  std::vector<float> b(1 << 20, 2.0f);
  auto running = (*fast)->start_all_reduce(bytes_of(a), {.tag = 1, .deadline = soon()});
  for (int i = 0; i < 1000; ++i) (*fast)->progress();
  CHECK(network->unposted_bytes_max(1) == 4 * kChunk);
  CHECK_FALSE((*running)->done());
  // With the peer there it goes on, and never needs more.
  auto other = (*slow)->start_all_reduce(bytes_of(b), {.tag = 1, .deadline = soon()});
  for (int i = 0; i < 100000 && !((*running)->done() && (*other)->done()); ++i) {
    (*fast)->progress();
    (*slow)->progress();
  }
  CHECK((*running)->done());
  CHECK((*running)->status().ok());
  CHECK((*other)->status().ok());
  CHECK(a[77777] == 3.0f);
  CHECK(b[1 << 19] == 3.0f);
  CHECK(network->unposted_bytes_max(1) <= 4 * kChunk);
}

TEST_CASE("a broadcasting root cannot run ahead of its receivers") {
  constexpr std::uint64_t kChunk = 1024;
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 2}, clock);
  auto root = make_communicator(network->at(0), clock, {.chunk_bytes = kChunk, .window = 2});
  std::vector<float> values(64, 1.0f);  // 256 bytes: one chunk, sent at once
  auto running = (*root)->start_broadcast(bytes_of(values), {.tag = 1, .deadline = soon()});
  for (int i = 0; i < 100; ++i) (*root)->progress();
  CHECK_FALSE((*running)->done());
}

TEST_CASE("a rank that does not come is named when the deadline passes") {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 3}, clock);
  auto communicator = make_communicator(network->at(1), clock);
  for (const std::size_t elements : {std::size_t{10}, std::size_t{100000}}) {
    const auto one = LoopbackNetwork::create({.ranks = 3}, clock);
    auto alone = make_communicator(one->at(1), clock);
    std::vector<float> values(elements);
    const auto status =
        (*alone)->all_reduce(bytes_of(values), {.tag = 5, .deadline = clock.now() + 20ms});
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::deadline_exceeded);
    CHECK(contains(status.error().message, "all_reduce (tag 5"));
    CHECK(contains(status.error().message, "rank 0"));  // its left neighbour and its partner
  }
}

TEST_CASE("a failed rank ends every operation at once, on ranks that do not talk to it too") {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 4}, clock);
  std::vector<std::string> errors(3);
  std::vector<std::string> later(3);
  std::vector<std::thread> threads;
  std::atomic<int> waiting = 0;
  for (Rank r = 0; r < 3; ++r)
    threads.emplace_back([&clock, &network, &errors, &later, &waiting, r] {
      auto communicator = make_communicator(network->at(r), clock);
      std::vector<float> first(100000);
      std::vector<float> second(10);
      auto a = (*communicator)->start_all_reduce(bytes_of(first), {.tag = 1, .deadline = soon()});
      auto b = (*communicator)->start_all_reduce(bytes_of(second), {.tag = 2, .deadline = soon()});
      (*communicator)->progress();
      ++waiting;
      const auto status = (*communicator)->wait(**a);
      errors[r] = status.ok() ? "" : status.error().message;
      if ((*b)->done() && (*b)->status().ok()) errors[r] = "the second went on";
      auto refused = (*communicator)->start_barrier({.tag = 3, .deadline = soon()});
      later[r] = refused.ok() ? "" : refused.error().message;
    });
  while (waiting < 3) std::this_thread::yield();
  for (Rank r = 0; r < 3; ++r) network->at(r).mark_failed(3, "its host lost power");
  for (auto& thread : threads) thread.join();
  for (Rank r = 0; r < 3; ++r) {
    CHECK(contains(errors[r], "rank 3 failed: its host lost power"));
    CHECK(contains(later[r], "rank 3 failed: its host lost power"));
  }
}

TEST_CASE("another thread ends a sleeping wait") {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 1}, clock);
  auto communicator = make_communicator(network->at(0), clock);
  const Instant begin = clock.now();
  std::thread waker([&] { (*communicator)->wake(); });
  (*communicator)->idle(begin + 60s);
  CHECK(clock.now() < begin + 30s);
  waker.join();
}

TEST_CASE("a rank with another idea of the size is found out") {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 2}, clock);
  auto left = make_communicator(network->at(0), clock);
  auto right = make_communicator(network->at(1), clock);
  std::vector<float> a(100);
  std::vector<float> b(120);
  auto one = (*left)->start_all_reduce(bytes_of(a), {.tag = 1, .deadline = soon()});
  auto two = (*right)->start_all_reduce(bytes_of(b), {.tag = 1, .deadline = soon()});
  for (int i = 0; i < 10; ++i) {
    (*left)->progress();
    (*right)->progress();
  }
  REQUIRE((*one)->done());
  CHECK((*one)->status().error().code == ErrorCode::data_loss);
  CHECK(contains((*one)->status().error().message, "480 bytes arrived, 400 were expected"));
}

TEST_CASE("a tag in flight is refused") {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 2}, clock);
  auto communicator = make_communicator(network->at(0), clock);
  auto first = (*communicator)->start_barrier({.tag = 8, .deadline = soon()});
  const auto second = (*communicator)->start_barrier({.tag = 8, .deadline = soon()});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message == "barrier: tag 8 is that of a barrier still in flight");
}

TEST_CASE("a slow link delivers bytes when they would have arrived") {
  ManualClock clock;
  // 1000 bytes per second and 1 s of latency: 500 bytes take 1.5 s, the next 500 come at 2 s.
  const auto network = LoopbackNetwork::create(
      {.ranks = 2, .bytes_per_second = 1000, .latency = Nanoseconds(1s)}, clock);
  std::vector<std::byte> out(500);
  std::vector<std::byte> in(1000);
  Transport& sender = network->at(0);
  Transport& receiver = network->at(1);
  const auto all = std::span<std::byte>(in);
  const Posting first = *receiver.post_receive({0, 1}, all.first(500));
  const Posting second = *receiver.post_receive({0, 1}, all.last(500));
  CHECK(sender.post_send({1, 1}, out).ok());
  CHECK(sender.post_send({1, 1}, out).ok());
  const auto arrived = [&](Posting posting) {
    receiver.idle({});
    return *receiver.test(posting);
  };
  clock.advance(1499ms);
  CHECK_FALSE(arrived(first));
  clock.advance(1ms);
  CHECK(arrived(first));
  clock.advance(499ms);
  CHECK_FALSE(arrived(second));
  clock.advance(1ms);
  CHECK(arrived(second));
}
