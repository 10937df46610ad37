#include <doctest/doctest.h>

#include <thread>

#include "executor/worker/bounded_queue.h"
#include "executor/worker/buffer_pool.h"
#include "executor/worker/command.h"
#include "executor/worker/pricing.h"
#include "executor/worker/reply_cache.h"

using namespace penstock;
using namespace penstock::executor;

namespace {

ReplyPtr reply(std::uint64_t number, std::size_t bytes, const std::shared_ptr<BufferPool>& pool) {
  auto made = std::make_shared<Reply>();
  made->number = number;
  made->outputs.push_back({"out", {}, pool->take(bytes)});
  return made;
}

}  // namespace

TEST_CASE("a queue gives values in the order of their pushes, across threads") {
  BoundedQueue<int> queue(100);
  std::thread pusher([&] {
    for (int i = 0; i < 100; ++i) queue.push(i);
  });
  for (int i = 0; i < 100; ++i) {
    const auto value = queue.pop(10s);
    REQUIRE(value.has_value());
    CHECK(*value == i);
  }
  pusher.join();
}

TEST_CASE("a full queue refuses, and a closed one gives what it has and then nothing") {
  BoundedQueue<int> queue(2);
  CHECK(queue.push(1));
  CHECK(queue.push(2));
  CHECK_FALSE(queue.push(3));
  queue.close();
  CHECK_FALSE(queue.push(4));
  CHECK(queue.pop(10s) == 1);
  CHECK(queue.pop(10s) == 2);
  CHECK_FALSE(queue.pop(10s).has_value());
}

TEST_CASE("a pool gives the same bytes again, and keeps no more than its bound") {
  const auto pool = BufferPool::create(4096);
  const std::byte* first = nullptr;
  {
    const Buffer buffer = pool->take(1000);
    first = buffer.bytes().data();
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
  }
  CHECK(pool->kept_bytes() == 1024);
  CHECK(pool->take(1024).bytes().data() == first);
  {
    const Buffer a = pool->take(4096);
    const Buffer b = pool->take(4096);
  }
  CHECK(pool->kept_bytes() <= 4096);
}

TEST_CASE("a reply cache keeps the newest replies within its count and bytes") {
  const auto pool = BufferPool::create(0);
  ReplyCache cache(3, 1000);
  for (std::uint64_t n = 1; n <= 5; ++n) cache.add(reply(n, 100, pool));
  const auto old = cache.find(2);
  REQUIRE_FALSE(old.ok());
  CHECK(old.error().code == ErrorCode::failed_precondition);
  CHECK(old.error().message.find("kept: 3 to 5") != std::string::npos);
  REQUIRE(cache.find(3).ok());
  CHECK((*cache.find(3))->number == 3);

  cache.add(reply(6, 900, pool));
  CHECK_FALSE(cache.find(4).ok());
  CHECK(cache.find(5).ok());
  cache.add(reply(7, 5000, pool));  // larger than the bound, but the newest is always there
  CHECK(cache.find(7).ok());
  CHECK_FALSE(cache.find(6).ok());
}

TEST_CASE("a command and a completion survive their journey, and damage is noticed") {
  Command command;
  command.sequence = 12;
  command.lane = 3;
  command.kind = CommandKind::run;
  command.name = "step";
  command.plan = std::string("with\0zero", 9);
  command.batch_size = 96;
  const std::string bytes = encode(command, {7, 0, 1 << 20});
  const auto decoded = decode_command(bytes);
  REQUIRE(decoded.ok());
  CHECK(decoded->body == command);
  CHECK(decoded->blob_bytes == std::vector<std::uint64_t>{7, 0, 1 << 20});
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    CHECK(decode_command(std::string_view(bytes).substr(0, cut)).ok() == false);
  CHECK_FALSE(decode_command(bytes + "x").ok());

  Completion completion;
  completion.sequence = 12;
  completion.error = Error{ErrorCode::unavailable, "rank 2 is gone"};
  completion.times.total = 5ms;
  const auto back = decode_completion(encode(completion, {}));
  REQUIRE(back.ok());
  CHECK(back->body.error == completion.error);
  CHECK(back->body.times.total == 5ms);
}

TEST_CASE("a command cannot ask for more blobs or bytes than there may be") {
  std::string bytes = encode(Command{}, {1});
  // The last 16 bytes are the count of blobs and the size of the first.
  bytes.replace(bytes.size() - 8, 8, std::string(8, '\xff'));
  CHECK_FALSE(decode_command(bytes).ok());
}

TEST_CASE("the price is device time and bytes at the lease's prices") {
  // 0.5 devices * second at 0.36 per second, 1 GiB in at 0.01, 3 GiB out at 0.02.
  const Prices prices{360'000'000, 10'000'000, 20'000'000};
  wire::CallUsage usage;
  usage.device_ns = 500'000'000;
  usage.bytes_in = std::int64_t{1} << 30;
  usage.bytes_out = std::int64_t{3} << 30;
  CHECK(price_of(prices, usage).nanos == 180'000'000 + 10'000'000 + 60'000'000);
  // A year of a thousand devices does not overflow on the way.
  usage = {};
  usage.device_ns = std::int64_t{86'400} * 100 * 1'000'000'000 * 1000;
  CHECK(price_of({1'000, 0, 0}, usage).nanos == std::int64_t{86'400} * 100 * 1'000'000);
}
