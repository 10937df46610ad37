#include "executor/collectives/choose_algorithm.h"

#include "base/units.h"

namespace penstock::collectives {
namespace {

/// Below this a hand-over between processes costs more than the copied bytes.
constexpr std::uint64_t kSmallBytesMax = 16 * kKiB;

}  // namespace

AllReduceAlgorithm choose_all_reduce(AllReduceProblem problem) {
  if (problem.ranks <= 1 || problem.bytes == 0) return AllReduceAlgorithm::nothing;
  if (problem.bytes <= kSmallBytesMax) return AllReduceAlgorithm::recursive_doubling;
  return AllReduceAlgorithm::ring;
}

}  // namespace penstock::collectives
