#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace penstock::detail {

/// What two neighbours may become: lower priorities first, and of equal ones the leftmost.
struct PairMerge {
  double priority = 0;
  std::int32_t token = 0;
};
using PairTable = std::function<std::optional<PairMerge>(std::int32_t, std::int32_t)>;

/// Merges neighbours in `symbols` until no pair is in the table. Time: n log n
void merge_pairs(std::vector<std::int32_t>& symbols, const PairTable& table);

}  // namespace penstock::detail
