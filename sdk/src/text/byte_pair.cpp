#include "sdk/src/text/byte_pair.h"

#include <queue>

namespace penstock::detail {
namespace {

constexpr std::int32_t kGone = -1;

struct Link {
  std::int32_t token;
  std::int32_t before, after;
};

struct Candidate {
  double priority;
  std::int32_t left, right;              // places
  std::int32_t left_token, right_token;  // what stood there: tells whether it is still so
  std::int32_t merged;
  /// For a queue whose top is the largest.
  bool operator<(const Candidate& other) const {
    return priority != other.priority ? priority > other.priority : left > other.left;
  }
};

}  // namespace

void merge_pairs(std::vector<std::int32_t>& symbols, const PairTable& table) {
  const auto n = static_cast<std::int32_t>(symbols.size());
  if (n < 2) return;
  std::vector<Link> links;
  links.reserve(symbols.size());
  for (std::int32_t i = 0; i < n; ++i)
    links.push_back({symbols[static_cast<std::size_t>(i)], i - 1, i + 1 < n ? i + 1 : kGone});
  const auto at = [&](std::int32_t place) -> Link& {
    return links[static_cast<std::size_t>(place)];
  };
  std::priority_queue<Candidate> queue;
  const auto consider = [&](std::int32_t left, std::int32_t right) {
    if (left == kGone || right == kGone) return;
    if (const auto merge = table(at(left).token, at(right).token))
      queue.push({merge->priority, left, right, at(left).token, at(right).token, merge->token});
  };
  for (std::int32_t i = 0; i + 1 < n; ++i) consider(i, i + 1);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Link& left = at(best.left);
    if (left.token != best.left_token || left.after != best.right ||
        at(best.right).token != best.right_token)
      continue;
    left.token = best.merged;
    left.after = at(best.right).after;
    if (left.after != kGone) at(left.after).before = best.left;
    at(best.right).token = kGone;
    consider(left.before, best.left);
    consider(best.left, left.after);
  }
  symbols.clear();
  for (std::int32_t place = 0; place != kGone; place = at(place).after)
    symbols.push_back(at(place).token);
}

}  // namespace penstock::detail
