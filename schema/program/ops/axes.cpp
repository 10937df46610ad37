#include "schema/program/ops/axes.h"

#include <algorithm>

namespace penstock::program {
namespace {

bool contains(const std::vector<std::int64_t>& dims, std::size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(dim)) != dims.end();
}

}  // namespace

Status check_dims(const std::vector<std::int64_t>& dims, const Shape& shape) {
  std::int64_t last = -1;
  for (const std::int64_t dim : dims) {
    if (dim <= last || dim >= static_cast<std::int64_t>(shape.size()))
      return invalid("dims " + to_text(Attribute(dims)) +
                     " must be increasing dimensions of the operand " + to_text(shape));
    last = dim;
  }
  return {};
}

std::vector<std::int64_t> other_dims(const std::vector<std::int64_t>& dims, const Shape& shape) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!contains(dims, i)) out.push_back(static_cast<std::int64_t>(i));
  return out;
}

Shape without(const std::vector<std::int64_t>& dims, const Shape& shape) {
  Shape out;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!contains(dims, i)) out.push_back(shape[i]);
  return out;
}

ShardingRule reduction_rule(const Shape& shape, const std::vector<std::int64_t>& dims,
                            Reduced reduced, Linearity linearity) {
  ShardingRule rule;
  rule.linearity = linearity;
  rule.operands.resize(1);
  rule.results.resize(1);
  int factor = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool gone = contains(dims, i);
    const int own = gone && reduced == Reduced::whole ? ShardingRule::kWhole : factor++;
    rule.operands[0].push_back(own);
    if (!gone) rule.results[0].push_back(own);
  }
  return rule;
}

ShardingRule last_dim_rule(const Shape& shape) {
  ShardingRule rule;
  rule.operands.emplace_back();
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rule.operands[0].push_back(static_cast<int>(i));
  rule.operands[0].push_back(ShardingRule::kWhole);
  rule.results = rule.operands;
  return rule;
}

ShardingRule along_rule(std::size_t rank, std::int64_t dim, std::size_t operands,
                        std::size_t results, Linearity linearity) {
  std::vector<int> factors;
  for (std::size_t i = 0; i < rank; ++i)
    factors.push_back(static_cast<std::int64_t>(i) == dim ? ShardingRule::kWhole
                                                          : static_cast<int>(i));
  ShardingRule rule;
  rule.operands.assign(operands, factors);
  rule.results.assign(results, factors);
  rule.linearity = linearity;
  return rule;
}

Status check_dim_whole(std::int64_t dim, const TensorType& type) {
  PENSTOCK_TRY(check_dims({dim}, type.shape));
  if (!type.shape[static_cast<std::size_t>(dim)].dynamic) return {};
  return invalid("dimension " + std::to_string(dim) + " of " + to_text(type) +
                 " is the batch, whose rows lie on many devices");
}

Status check_along(std::int64_t dim, const TensorType& x, const TensorType& indices) {
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    return invalid("indices must be i32 or i64, got " + to_text(indices));
  PENSTOCK_TRY(check_dim_whole(dim, x));
  PENSTOCK_TRY(check_dims({dim}, indices.shape));
  Shape alike = x.shape;
  alike[static_cast<std::size_t>(dim)] = indices.shape[static_cast<std::size_t>(dim)];
  if (alike == indices.shape) return {};
  return invalid("indices " + to_text(indices) + " and " + to_text(x) +
                 " differ in another dimension than " + std::to_string(dim));
}

std::vector<std::int64_t> all_dims(std::size_t rank) {
  std::vector<std::int64_t> out(rank);
  for (std::size_t i = 0; i < rank; ++i) out[i] = static_cast<std::int64_t>(i);
  return out;
}

}  // namespace penstock::program
