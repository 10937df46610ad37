#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/unit/collectives/mesh.h"

using namespace penstock;
using namespace penstock::collectives;
using namespace penstock::collectives::testing;

namespace {

const std::vector<std::size_t> kSizes = {0, 1, 2, 3, 7, 1000, 65537, 1 << 20};

template <class T>
ElementType type_of();
template <>
ElementType type_of<float>() {
  return ElementType::f32;
}
template <>
ElementType type_of<double>() {
  return ElementType::f64;
}
template <>
ElementType type_of<std::int32_t>() {
  return ElementType::i32;
}
template <>
ElementType type_of<std::int64_t>() {
  return ElementType::i64;
}

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span<T>(values));
}

/// Every rank's vector after an all-reduce, or the first error.
template <class T>
struct Outcome {
  std::vector<std::vector<T>> values;
  std::vector<std::string> errors;
};

template <class T, class Fill>
Outcome<T> all_reduce(const MeshOptions& mesh, std::size_t elements, ReduceOp op, Fill fill) {
  Outcome<T> out{std::vector<std::vector<T>>(mesh.network.ranks),
                 std::vector<std::string>(mesh.network.ranks)};
  run_mesh(mesh, [&](Communicator& communicator) {
    const Rank rank = communicator.rank();
    auto& mine = out.values[rank];
    mine.resize(elements);
    for (std::size_t i = 0; i < elements; ++i) mine[i] = fill(rank, i);
    const auto status = communicator.all_reduce(
        bytes_of(mine), {.type = type_of<T>(), .op = op, .tag = 3, .deadline = soon()});
    if (!status.ok()) out.errors[rank] = status.error().message;
  });
  return out;
}

/// The independent reference: one loop, in 64-bit integers.
template <class T>
void check_sums(const Outcome<T>& out, std::size_t elements) {
  const auto ranks = static_cast<Rank>(out.values.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    std::int64_t sum = 0;
    for (Rank r = 0; r < ranks; ++r) sum += value_at(r, i);
    for (Rank r = 0; r < ranks; ++r) wrong += out.values[r][i] != static_cast<T>(sum);
  }
  CHECK(wrong == 0);
  for (const auto& error : out.errors) CHECK(error == "");
}

MeshOptions mesh_of(Rank ranks, SendMode mode) {
  return {.network = {.ranks = ranks, .mode = mode},
          .communicator = {.chunk_bytes = 64 * kKiB, .window = 3, .observer = {}}};
}

}  // namespace

TEST_CASE("all_reduce gives the serial sum, for every size and number of ranks") {
  for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous})
    for (const Rank ranks : {1u, 2u, 3u, 4u, 5u})
      for (const std::size_t size : kSizes) {
        CAPTURE(ranks);
        CAPTURE(size);
        const auto out = all_reduce<float>(
            mesh_of(ranks, mode), size, ReduceOp::sum,
            [](Rank r, std::size_t i) { return static_cast<float>(value_at(r, i)); });
        check_sums(out, size);
      }
}

TEST_CASE_TEMPLATE("all_reduce sums every element type", T, double, std::int32_t, std::int64_t) {
  for (const std::size_t size : {std::size_t{5}, std::size_t{40001}})
    check_sums(all_reduce<T>(mesh_of(3, SendMode::rendezvous), size, ReduceOp::sum,
                             [](Rank r, std::size_t i) { return static_cast<T>(value_at(r, i)); }),
               size);
}

TEST_CASE("the ring works when ranks outnumber elements and when chunks are a few elements") {
  // 16-element chunks and more than 16 KiB: hundreds of chunks through a window of two.
  MeshOptions mesh{.network = {.ranks = 5, .mode = SendMode::rendezvous},
                   .communicator = {.chunk_bytes = 64, .window = 2, .observer = {}}};
  const auto fill = [](Rank r, std::size_t i) { return static_cast<float>(value_at(r, i)); };
  check_sums(all_reduce<float>(mesh, 4999, ReduceOp::sum, fill), 4999);
  // 68 bytes do not fit one chunk, which rules the small algorithm out.
  mesh.network.ranks = 24;
  check_sums(all_reduce<float>(mesh, 17, ReduceOp::sum, fill), 17);
}

TEST_CASE("max and min keep the extreme, and a NaN of any rank reaches all") {
  const auto fill = [](Rank r, std::size_t i) {
    if (i == 1 && r == 1) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(r == i % 3 ? 10 + i % 3 : 0) - 5;
  };
  for (const std::size_t size : {std::size_t{9}, std::size_t{9000}}) {
    const auto max = all_reduce<double>(mesh_of(3, SendMode::buffered), size, ReduceOp::max, fill);
    const auto min = all_reduce<double>(mesh_of(3, SendMode::buffered), size, ReduceOp::min, fill);
    for (Rank r = 0; r < 3; ++r) {
      CHECK(max.values[r][0] == 5.0);
      CHECK(std::isnan(max.values[r][1]));
      CHECK(max.values[r][2] == 7.0);
      CHECK(max.values[r][4] == 6.0);
      CHECK(min.values[r][0] == -5.0);
      CHECK(std::isnan(min.values[r][1]));
    }
  }
}

TEST_CASE("every rank holds the same bits, and a second run gives them again") {
  // Values whose sum depends on the order of adding.
  const auto fill = [](Rank r, std::size_t i) {
    return static_cast<float>(std::ldexp(1.0 + static_cast<double>((i * 31 + r * 17) % 97) / 97.0,
                                         static_cast<int>((i + r * 5) % 40) - 20));
  };
  for (const Rank ranks : {2u, 3u, 4u, 5u})
    for (const std::size_t size : {std::size_t{1000}, std::size_t{65537}}) {
      const auto first =
          all_reduce<float>(mesh_of(ranks, SendMode::buffered), size, ReduceOp::sum, fill);
      const auto second =
          all_reduce<float>(mesh_of(ranks, SendMode::rendezvous), size, ReduceOp::sum, fill);
      for (Rank r = 0; r < ranks; ++r) {
        CHECK(std::memcmp(first.values[r].data(), first.values[0].data(), size * 4) == 0);
        CHECK(std::memcmp(second.values[r].data(), first.values[0].data(), size * 4) == 0);
      }
    }
}

TEST_CASE("integer sums wrap as in two's complement") {
  const auto out = all_reduce<std::int32_t>(
      mesh_of(2, SendMode::buffered), 4, ReduceOp::sum,
      [](Rank, std::size_t) { return std::numeric_limits<std::int32_t>::max(); });
  CHECK(out.values[0][0] == -2);
}

TEST_CASE("operations in flight together do not disturb each other") {
  constexpr Rank kRanks = 3;
  constexpr std::uint32_t kBuckets = 6;
  constexpr std::size_t kElements = 50000;
  std::vector<std::size_t> wrong(kRanks, 1);
  run_mesh(mesh_of(kRanks, SendMode::rendezvous), [&](Communicator& communicator) {
    const Rank rank = communicator.rank();
    std::vector<std::vector<float>> buckets(kBuckets, std::vector<float>(kElements));
    std::vector<std::unique_ptr<Operation>> operations;
    for (std::uint32_t b = 0; b < kBuckets; ++b) {
      for (std::size_t i = 0; i < kElements; ++i)
        buckets[b][i] = static_cast<float>(value_at(rank, i) * (b + 1));
      auto started =
          communicator.start_all_reduce(bytes_of(buckets[b]), {.tag = b, .deadline = soon()});
      if (!started.ok()) return;
      operations.push_back(std::move(*started));
      communicator.progress();
    }
    // Waited for in another order than they were started.
    for (std::uint32_t b = kBuckets; b-- > 0;)
      if (!communicator.wait(*operations[b]).ok()) return;
    wrong[rank] = 0;
    for (std::uint32_t b = 0; b < kBuckets; ++b)
      for (std::size_t i = 0; i < kElements; ++i) {
        std::int64_t sum = 0;
        for (Rank r = 0; r < kRanks; ++r) sum += value_at(r, i) * (b + 1);
        wrong[rank] += buckets[b][i] != static_cast<float>(sum);
      }
  });
  CHECK(wrong == std::vector<std::size_t>(kRanks, 0));
}

TEST_CASE("the observer is told every byte that arrives, and from whom") {
  constexpr std::size_t kElements = 40000;  // 160000 bytes: 80000 each way and step
  struct Seen {
    std::uint64_t bytes = 0;
    bool stranger = false;
    bool backwards = false;
  };
  std::vector<Seen> seen(2);
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 2}, clock);
  std::vector<std::thread> threads;
  for (Rank r = 0; r < 2; ++r)
    threads.emplace_back([&seen, &clock, &network, r] {
      Instant last;
      CommunicatorOptions options;
      options.observer = [&seen, &last, r](const ChunkReceived& chunk) {
        seen[r].bytes += chunk.bytes;
        seen[r].stranger |= chunk.peer != 1 - r || chunk.tag != 9;
        seen[r].backwards |= chunk.at < last;
        last = chunk.at;
      };
      auto communicator = make_communicator(network->at(r), clock, options);
      std::vector<float> values(kElements, 1.0f);
      (*communicator)->all_reduce(bytes_of(values), {.tag = 9, .deadline = soon()}).value();
    });
  for (auto& thread : threads) thread.join();
  for (const Seen& s : seen) {
    CHECK(s.bytes == 160000);  // half the buffer to reduce, half gathered: 2 (P-1)/P of it
    CHECK_FALSE(s.stranger);
    CHECK_FALSE(s.backwards);
  }
}

TEST_CASE("reduce_scatter leaves each rank the sum of its own segment") {
  constexpr Rank kRanks = 4;
  constexpr std::size_t kElements = 10007;
  std::vector<std::size_t> wrong(kRanks, 1);
  run_mesh(mesh_of(kRanks, SendMode::rendezvous), [&](Communicator& communicator) {
    const Rank rank = communicator.rank();
    std::vector<std::int64_t> values(kElements);
    for (std::size_t i = 0; i < kElements; ++i) values[i] = value_at(rank, i);
    const auto status = communicator.reduce_scatter(
        bytes_of(values), {.type = ElementType::i64, .tag = 1, .deadline = soon()});
    if (!status.ok()) return;
    wrong[rank] = 0;
    const Segment mine = segment_of(kElements, rank, kRanks);
    for (std::size_t i = mine.first; i < mine.first + mine.count; ++i) {
      std::int64_t sum = 0;
      for (Rank r = 0; r < kRanks; ++r) sum += value_at(r, i);
      wrong[rank] += values[i] != sum;
    }
  });
  CHECK(wrong == std::vector<std::size_t>(kRanks, 0));
}

TEST_CASE("segments cover the buffer, and their sizes differ by at most one") {
  CHECK(segment_of(10, 0, 4) == Segment{0, 3});
  CHECK(segment_of(10, 1, 4) == Segment{3, 3});
  CHECK(segment_of(10, 2, 4) == Segment{6, 2});
  CHECK(segment_of(10, 3, 4) == Segment{8, 2});
  CHECK(segment_of(2, 3, 4) == Segment{2, 0});
}

TEST_CASE("the algorithm depends on bytes and ranks alone") {
  CHECK(choose_all_reduce({.bytes = 1 << 20, .ranks = 1}) == AllReduceAlgorithm::nothing);
  CHECK(choose_all_reduce({.bytes = 0, .ranks = 8}) == AllReduceAlgorithm::nothing);
  CHECK(choose_all_reduce({.bytes = 4, .ranks = 8}) == AllReduceAlgorithm::recursive_doubling);
  CHECK(choose_all_reduce({.bytes = 1 << 20, .ranks = 2}) == AllReduceAlgorithm::ring);
}
