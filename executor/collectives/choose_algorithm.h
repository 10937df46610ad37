#pragma once

#include <cstdint>

#include "executor/collectives/transport.h"

namespace penstock::collectives {

enum class AllReduceAlgorithm {
  nothing,             // one rank, or no bytes
  recursive_doubling,  // log2(ranks) exchanges of the whole buffer: fewest hand-overs
  ring,                // 2 (ranks - 1) / ranks of the buffer per link: fewest bytes
};

struct AllReduceProblem {
  std::uint64_t bytes = 0;
  Rank ranks = 1;
};

/// Every rank must come to the same answer, so it depends on what all ranks know.
/// Threads: pure
AllReduceAlgorithm choose_all_reduce(AllReduceProblem problem);

}  // namespace penstock::collectives
