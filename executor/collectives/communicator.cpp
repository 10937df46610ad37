#include "executor/collectives/communicator.h"

#include <algorithm>

namespace penstock::collectives {
namespace {

/// How long `wait` sleeps at most when nothing happens; `idle` itself ends at the next deadline.
constexpr Nanoseconds kLookPeriod = 1s;

}  // namespace

Segment segment_of(std::uint64_t elements, Rank rank, Rank ranks) {
  PENSTOCK_CHECK(rank < ranks);
  const std::uint64_t base = elements / ranks;
  const std::uint64_t larger = elements % ranks;
  return {rank * base + std::min<std::uint64_t>(rank, larger), base + (rank < larger ? 1 : 0)};
}

Status Communicator::wait(const Operation& operation) {
  while (!operation.done())
    if (!progress()) idle(now() + kLookPeriod);
  return operation.status();
}

Status Communicator::finish(Result<std::unique_ptr<Operation>> started) {
  PENSTOCK_ASSIGN(const auto operation, std::move(started));
  return wait(*operation);
}

Status Communicator::all_reduce(std::span<std::byte> buffer, AllReduceOptions options) {
  return finish(start_all_reduce(buffer, options));
}

Status Communicator::reduce_scatter(std::span<std::byte> buffer, AllReduceOptions options) {
  return finish(start_reduce_scatter(buffer, options));
}

Status Communicator::all_gather(std::span<std::byte> buffer, std::vector<std::uint64_t> block_bytes,
                                CollectiveOptions options) {
  return finish(start_all_gather(buffer, std::move(block_bytes), options));
}

Status Communicator::broadcast(std::span<std::byte> buffer, RootedOptions options) {
  return finish(start_broadcast(buffer, options));
}

Status Communicator::gather(std::span<const std::byte> mine, std::span<std::byte> all,
                            std::vector<std::uint64_t> block_bytes, RootedOptions options) {
  return finish(start_gather(mine, all, std::move(block_bytes), options));
}

Status Communicator::scatter(std::span<const std::byte> all, std::span<std::byte> mine,
                             std::vector<std::uint64_t> block_bytes, RootedOptions options) {
  return finish(start_scatter(all, mine, std::move(block_bytes), options));
}

Status Communicator::barrier(CollectiveOptions options) {
  return finish(start_barrier(options));
}

}  // namespace penstock::collectives
