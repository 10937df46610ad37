#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "executor/collectives/loopback_transport.h"
#include "executor/collectives/transport_communicator.h"

namespace penstock::collectives::testing {

/// What each rank of a mesh does, on its own thread.
using RankMain = std::function<void(Communicator&)>;

struct MeshOptions {
  LoopbackOptions network;
  CommunicatorOptions communicator;
};

/// Runs one thread per rank over `network` and joins them all. doctest's assertions are not for
/// threads: the ranks store what they saw and the caller checks it.
inline void run_mesh(LoopbackNetwork& network, const Clock& clock, Rank ranks,
                     const CommunicatorOptions& options, const RankMain& main) {
  std::vector<std::thread> threads;
  for (Rank r = 0; r < ranks; ++r)
    threads.emplace_back([&network, &clock, &options, &main, r] {
      auto communicator = make_communicator(network.at(r), clock, options);
      main(**communicator);
    });
  for (auto& thread : threads) thread.join();
}

inline void run_mesh(const MeshOptions& options, const RankMain& main) {
  const MonotonicClock clock;
  const auto network = LoopbackNetwork::create(options.network, clock);
  run_mesh(*network, clock, options.network.ranks, options.communicator, main);
}

inline Instant soon() {
  return MonotonicClock().now() + 60s;
}

/// Small whole numbers: every sum of a few of them is exact in f32, in any order.
inline std::int64_t value_at(Rank rank, std::size_t index) {
  return static_cast<std::int64_t>((index * 7 + rank * 13 + 5) % 101) - 50;
}

}  // namespace penstock::collectives::testing
