#include <doctest/doctest.h>

#include <atomic>

#include "tests/unit/collectives/mesh.h"

using namespace penstock;
using namespace penstock::collectives;
using namespace penstock::collectives::testing;

namespace {

std::byte byte_at(Rank rank, std::uint64_t index) {
  return static_cast<std::byte>((rank * 59 + index * 3 + 1) % 251);
}

std::vector<std::byte> block_of(Rank rank, std::uint64_t bytes) {
  std::vector<std::byte> block(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) block[i] = byte_at(rank, i);
  return block;
}

std::vector<std::byte> concatenated(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::byte> all;
  for (Rank r = 0; r < sizes.size(); ++r) {
    const auto block = block_of(r, sizes[r]);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

/// Blocks of nothing, of less than a chunk, of exact chunks and of many.
std::vector<std::uint64_t> sizes_for(Rank ranks) {
  const std::vector<std::uint64_t> sizes = {1000, 0, 128, 7, 640};
  return {sizes.begin(), sizes.begin() + ranks};
}

std::uint64_t total(const std::vector<std::uint64_t>& sizes) {
  std::uint64_t sum = 0;
  for (const auto size : sizes) sum += size;
  return sum;
}

MeshOptions mesh_of(Rank ranks) {
  return {.network = {.ranks = ranks, .mode = SendMode::rendezvous},
          .communicator = {.chunk_bytes = 64, .window = 3, .observer = {}}};
}

}  // namespace

TEST_CASE("broadcast gives everyone the root's bytes, whoever is the root") {
  for (const Rank ranks : {1u, 2u, 3u, 4u, 5u})
    for (Rank root = 0; root < ranks; ++root)
      for (const std::uint64_t bytes : {0ull, 1ull, 64ull, 1000ull}) {
        std::vector<std::vector<std::byte>> got(ranks);
        run_mesh(mesh_of(ranks), [&](Communicator& communicator) {
          auto& mine = got[communicator.rank()];
          mine = block_of(communicator.rank(), bytes);
          communicator.broadcast(mine, {.root = root, .tag = 4, .deadline = soon()}).value();
        });
        for (Rank r = 0; r < ranks; ++r) CHECK(got[r] == block_of(root, bytes));
      }
}

TEST_CASE("all_gather gives everyone every block, of different sizes") {
  for (const Rank ranks : {1u, 2u, 3u, 4u, 5u}) {
    const auto sizes = sizes_for(ranks);
    std::vector<std::vector<std::byte>> got(ranks);
    run_mesh(mesh_of(ranks), [&](Communicator& communicator) {
      const Rank rank = communicator.rank();
      auto& all = got[rank];
      all.resize(total(sizes));
      std::uint64_t at = 0;
      for (Rank r = 0; r < rank; ++r) at += sizes[r];
      const auto mine = block_of(rank, sizes[rank]);
      std::copy(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
      communicator.all_gather(all, sizes, {.tag = 4, .deadline = soon()}).value();
    });
    for (Rank r = 0; r < ranks; ++r) CHECK(got[r] == concatenated(sizes));
  }
}

TEST_CASE("gather collects every block at the root, and scatter hands them back") {
  for (const Rank ranks : {1u, 2u, 5u})
    for (Rank root = 0; root < ranks; ++root) {
      const auto sizes = sizes_for(ranks);
      std::vector<std::byte> collected;
      std::vector<std::vector<std::byte>> returned(ranks);
      run_mesh(mesh_of(ranks), [&](Communicator& communicator) {
        const Rank rank = communicator.rank();
        const auto mine = block_of(rank, sizes[rank]);
        std::vector<std::byte> all(rank == root ? total(sizes) : 0);
        communicator.gather(mine, all, sizes, {.root = root, .tag = 1, .deadline = soon()}).value();
        returned[rank].resize(sizes[rank]);
        communicator
            .scatter(all, returned[rank], sizes, {.root = root, .tag = 2, .deadline = soon()})
            .value();
        if (rank == root) collected = all;
      });
      CHECK(collected == concatenated(sizes));
      for (Rank r = 0; r < ranks; ++r) CHECK(returned[r] == block_of(r, sizes[r]));
    }
}

TEST_CASE("nobody leaves a barrier before everybody has come") {
  for (const Rank ranks : {1u, 2u, 3u, 5u}) {
    std::atomic<Rank> arrived = 0;
    std::atomic<bool> early = false;
    run_mesh(mesh_of(ranks), [&](Communicator& communicator) {
      ++arrived;
      communicator.barrier({.tag = 1, .deadline = soon()}).value();
      if (arrived != ranks) early = true;
    });
    CHECK_FALSE(early);
  }
}

TEST_CASE("blocks that do not make up the buffer are refused before anything is sent") {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create({.ranks = 2}, clock);
  auto communicator = make_communicator(network->at(0), clock);
  std::vector<std::byte> buffer(10);
  const auto code = [&](std::vector<std::uint64_t> sizes) {
    const auto started = (*communicator)->start_all_gather(buffer, std::move(sizes), {});
    return started.ok() ? ErrorCode::internal : started.error().code;
  };
  CHECK(code({5}) == ErrorCode::invalid_argument);
  CHECK(code({5, 6}) == ErrorCode::invalid_argument);
  CHECK(code({5, 4}) == ErrorCode::invalid_argument);
  CHECK(code({~0ull, 11}) == ErrorCode::invalid_argument);
  const auto root = (*communicator)->start_broadcast(buffer, {.root = 2});
  REQUIRE_FALSE(root.ok());
  CHECK(root.error().message == "broadcast: root 2 of 2 ranks");
}
