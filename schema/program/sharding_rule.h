#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/program/types.h"

namespace penstock::program {

/// How a partial sum passes through an op.
enum class Linearity : std::uint8_t {
  none,        // a partial operand must be summed first
  in_each,     // linear in each operand with the others whole: matmul, multiply, reduce_sum
  in_all,      // linear in all operands together: add, subtract, concatenate
  first_only,  // linear in operand 0 alone: divide
};

/// Which dimensions of an op's operands and results must be cut alike, in factor form:
/// `m k, k n -> m n`. A factor that no result carries is contracted: cutting it leaves each device
/// with a partial sum. `.` is a dimension that must stay whole.
/// Source: Shardy's OpShardingRule; GSPMD, arXiv:2105.04663
struct ShardingRule {
  static constexpr int kWhole = -1;

  std::vector<std::vector<int>> operands;  // factor of each dimension
  std::vector<std::vector<int>> results;
  Linearity linearity = Linearity::none;

  /// Reads `"m k, k n -> m n"`; a scalar is an empty item: `"m, -> m"`. Names are any words.
  /// A malformed rule is a failed check: rules are code.
  static ShardingRule parse(std::string_view text, Linearity linearity = Linearity::none);

  /// Every operand and result carries the same factors, dimension by dimension; operands of rank 0
  /// carry none.
  static ShardingRule pointwise(std::span<const TensorType> operands, std::size_t results = 1,
                                Linearity linearity = Linearity::none);

  /// Whether some result carries the factor.
  bool in_results(int factor) const;
  int factor_count() const;
  bool operator==(const ShardingRule&) const = default;
};

}  // namespace penstock::program
