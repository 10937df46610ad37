#include "schema/program/ops/transpose.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Transpose::attributes() {
  return {{"permutation", AttributeKind::integers}};
}

Result<Types> Transpose::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const std::vector<std::int64_t>& permutation = in.attributes.integers("permutation");
  const Error bad = invalid("permutation " + to_text(Attribute(permutation)) +
                            " must name each dimension of " + to_text(x) + " once");
  const std::size_t rank = x.shape.size();
  if (permutation.size() != rank) return bad;
  std::vector<bool> seen(rank, false);
  Shape shape;
  for (const std::int64_t dim : permutation) {
    const auto index = static_cast<std::size_t>(dim);  // a negative one becomes huge
    if (index >= rank || seen[index]) return bad;
    seen[index] = true;
    shape.push_back(x.shape[index]);
  }
  return Types{{x.dtype, std::move(shape)}};
}

ShardingRule Transpose::sharding(OpInputs in) {
  ShardingRule rule = ShardingRule::pointwise(in.types, 1, Linearity::in_each);
  rule.results[0].clear();
  for (const std::int64_t dim : in.attributes.integers("permutation"))
    rule.results[0].push_back(static_cast<int>(dim));
  return rule;
}

Cost Transpose::cost(OpInputs in) {
  return {0, 2 * static_cast<double>(byte_count(in.types[0]))};
}

std::vector<ValueId> Transpose::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  const std::vector<std::int64_t>& permutation = node.attributes.integers("permutation");
  std::vector<std::int64_t> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  return {b.apply("transpose", {g[0]}, {{"permutation", inverse}})};
}

std::vector<Example> Transpose::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::vector<std::int64_t> permutation) {
    const bool small = element_count(shape) < 200;
    out.push_back({{{dtype, std::move(shape)}}, {{"permutation", std::move(permutation)}}});
    out.back().check_gradient = dtype == DType::f64 && small;
  };
  add(DType::f64, {}, {});
  add(DType::f64, {1}, {0});
  add(DType::f64, {0, 5}, {1, 0});
  add(DType::f64, {3, 5}, {1, 0});
  add(DType::f64, {3, 5, 7}, {2, 0, 1});
  add(DType::f64, {3, 5, 7}, {0, 2, 1});
  add(DType::f64, {3, 1, 5, 2}, {3, 1, 0, 2});
  add(DType::f64, {batch(7), 3, 2}, {0, 2, 1});
  add(DType::f64, {batch(7), 3}, {1, 0});
  add(DType::f64, {65, 67}, {1, 0});
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(dtype, {3, 5}, {1, 0});
  return out;
}

}  // namespace penstock::program
