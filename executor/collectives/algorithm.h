#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "executor/collectives/chunk_pool.h"
#include "executor/collectives/reduce.h"
#include "executor/collectives/transport.h"

namespace penstock::collectives {

/// A chunk that has arrived, told in the order of arrival.
struct ChunkReceived {
  Rank peer = 0;
  std::uint32_t tag = 0;  // of the operation
  std::uint64_t bytes = 0;
  Instant at;
};
using ChunkObserver = std::function<void(const ChunkReceived&)>;

/// What an algorithm works with. All of it outlives the algorithm.
struct Context {
  Transport& transport;
  const Clock& clock;
  ChunkPool& chunks;
  /// How many chunks may be on their way to a receiver that has not posted for them.
  std::uint32_t window;
  const ChunkObserver& observer;
};

enum class Advance { blocked, moved, finished };

/// One collective on one rank as a state machine. Destroying it takes back what it has posted.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// Goes as far as it can without waiting.
  virtual Result<Advance> advance() = 0;
  /// For the error of a passed deadline: `chunk 3 of 8 from rank 2`.
  virtual std::string waiting_for() const = 0;
};

enum class RingPart { all_reduce, reduce_scatter };

struct RingProblem {
  std::span<std::byte> buffer;
  Reduction reduction;
  RingPart part = RingPart::all_reduce;
  std::uint32_t tag = 0;
};
std::unique_ptr<Algorithm> make_ring(const Context& context, RingProblem problem);

struct SmallAllReduceProblem {
  std::span<std::byte> buffer;  // at most one chunk
  Reduction reduction;
  std::uint32_t tag = 0;
};
std::unique_ptr<Algorithm> make_recursive_doubling(const Context& context,
                                                   SmallAllReduceProblem problem);

struct AllGatherProblem {
  std::span<std::byte> buffer;
  std::vector<std::uint64_t> block_bytes;
  std::uint32_t tag = 0;
};
std::unique_ptr<Algorithm> make_all_gather(const Context& context, AllGatherProblem problem);

struct BroadcastProblem {
  std::span<std::byte> buffer;
  Rank root = 0;
  std::uint32_t tag = 0;
};
std::unique_ptr<Algorithm> make_broadcast(const Context& context, BroadcastProblem problem);

struct GatherProblem {
  std::span<const std::byte> mine;
  std::span<std::byte> all;
  std::vector<std::uint64_t> block_bytes;
  Rank root = 0;
  std::uint32_t tag = 0;
};
std::unique_ptr<Algorithm> make_gather(const Context& context, GatherProblem problem);

struct ScatterProblem {
  std::span<const std::byte> all;
  std::span<std::byte> mine;
  std::vector<std::uint64_t> block_bytes;
  Rank root = 0;
  std::uint32_t tag = 0;
};
std::unique_ptr<Algorithm> make_scatter(const Context& context, ScatterProblem problem);

std::unique_ptr<Algorithm> make_barrier(const Context& context, std::uint32_t tag);

}  // namespace penstock::collectives
