#include "schema/program/sharding_rule.h"

#include <algorithm>

#include "base/check.h"

namespace penstock::program {
namespace {

/// The words of `m k`, numbered by first appearance over the whole rule.
std::vector<int> read_item(std::string_view item, std::vector<std::string>& factors) {
  std::vector<int> out;
  while (true) {
    const std::size_t begin = item.find_first_not_of(' ');
    if (begin == std::string_view::npos) return out;
    const std::size_t end = std::min(item.find(' ', begin), item.size());
    const std::string word(item.substr(begin, end - begin));
    item.remove_prefix(end);
    if (word == ".") {
      out.push_back(ShardingRule::kWhole);
      continue;
    }
    const auto at = std::find(factors.begin(), factors.end(), word);
    out.push_back(static_cast<int>(at - factors.begin()));
    if (at == factors.end()) factors.push_back(word);
  }
}

std::vector<std::vector<int>> read_side(std::string_view side, std::vector<std::string>& factors) {
  std::vector<std::vector<int>> out;
  while (true) {
    const std::size_t comma = side.find(',');
    out.push_back(read_item(side.substr(0, comma), factors));
    if (comma == std::string_view::npos) return out;
    side.remove_prefix(comma + 1);
  }
}

}  // namespace

ShardingRule ShardingRule::parse(std::string_view text, Linearity linearity) {
  const std::size_t arrow = text.find("->");
  PENSTOCK_CHECK(arrow != std::string_view::npos,
                 "sharding rule '" + std::string(text) + "' lacks '->'");
  std::vector<std::string> factors;
  ShardingRule rule;
  rule.operands = read_side(text.substr(0, arrow), factors);
  rule.results = read_side(text.substr(arrow + 2), factors);
  rule.linearity = linearity;
  return rule;
}

ShardingRule ShardingRule::pointwise(std::span<const TensorType> operands, std::size_t results,
                                     Linearity linearity) {
  std::size_t rank = 0;
  for (const TensorType& type : operands) rank = std::max(rank, type.shape.size());
  std::vector<int> factors(rank);
  for (std::size_t i = 0; i < rank; ++i) factors[i] = static_cast<int>(i);
  ShardingRule rule;
  for (const TensorType& type : operands) {
    PENSTOCK_CHECK(type.shape.empty() || type.shape.size() == rank,
                   "a pointwise rule needs operands of one rank, or scalars");
    rule.operands.push_back(type.shape.empty() ? std::vector<int>() : factors);
  }
  rule.results.assign(results, factors);
  rule.linearity = linearity;
  return rule;
}

bool ShardingRule::in_results(int factor) const {
  for (const std::vector<int>& result : results)
    if (std::find(result.begin(), result.end(), factor) != result.end()) return true;
  return false;
}

int ShardingRule::factor_count() const {
  int count = 0;
  for (const auto* side : {&operands, &results})
    for (const std::vector<int>& dims : *side)
      for (const int factor : dims) count = std::max(count, factor + 1);
  return count;
}

}  // namespace penstock::program
