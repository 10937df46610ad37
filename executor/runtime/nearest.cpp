#include "executor/runtime/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace penstock::runtime {
namespace {

/// Insertions, deletions and replacements between two names (Levenshtein, 1966).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_names(std::string_view wanted, const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (std::string_view name : names)
    ranked.emplace_back(distance(wanted.substr(0, 256), name), name);
  std::sort(ranked.begin(), ranked.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    text += (i > 0 ? ", '" : "'") + std::string(ranked[i].second) + "'";
  }
  return text.empty() ? "none" : text;
}

}  // namespace penstock::runtime
