#include "schema/program/ops/reshape.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

/// Bounds become a shape; the caller checks it.
Shape to_shape(const std::vector<std::int64_t>& sizes) {
  return {sizes.begin(), sizes.end()};
}

}  // namespace

std::vector<AttributeSpec> Reshape::attributes() {
  return {{"shape", AttributeKind::integers}};
}

Result<Types> Reshape::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  Shape shape = to_shape(in.attributes.integers("shape"));
  PENSTOCK_TRY(check_shape(shape, {}));
  if (element_count(shape) != element_count(x.shape))
    return invalid("cannot view " + to_text(x) + " as " + to_text(shape) +
                   ": the numbers of elements differ");
  const int dynamic = dynamic_dim(x.shape);
  if (dynamic < 0) return Types{{x.dtype, std::move(shape)}};
  if (dynamic != 0 || shape.empty() || shape[0].bound != x.shape[0].bound)
    return invalid("cannot view " + to_text(x) + " as " + to_text(shape) +
                   ": the dynamic dimension must be the first of both");
  shape[0].dynamic = true;
  return Types{{x.dtype, std::move(shape)}};
}

ShardingRule Reshape::sharding(OpInputs in) {
  const Shape& from = in.types[0].shape;
  const std::vector<std::int64_t>& to = in.attributes.integers("shape");
  ShardingRule rule;
  rule.linearity = Linearity::in_each;
  rule.operands.assign(1, std::vector<int>(from.size(), ShardingRule::kWhole));
  rule.results.assign(1, std::vector<int>(to.size(), ShardingRule::kWhole));
  // From the left, as long as the dimensions agree but for sizes of 1: there each slice of the one
  // is a slice of the other.
  std::size_t i = 0, j = 0;
  for (int factor = 0; i < from.size() && j < to.size();) {
    if (from[i].bound == to[j]) {
      rule.operands[0][i++] = factor;
      rule.results[0][j++] = factor++;
    } else if (from[i].bound == 1) {
      ++i;
    } else if (to[j] == 1) {
      ++j;
    } else {
      break;
    }
  }
  return rule;
}

Attributes Reshape::resize(OpInputs, std::span<const TensorType>,
                           std::span<const TensorType> results) {
  return {{"shape", bounds(results[0].shape)}};
}

Cost Reshape::cost(OpInputs in) {
  return {0, 2 * static_cast<double>(byte_count(in.types[0]))};
}

std::vector<ValueId> Reshape::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  return {b.apply("reshape", {g[0]}, {{"shape", bounds(b.type(node.inputs[0]).shape)}})};
}

std::vector<Example> Reshape::examples() {
  using Sizes = std::vector<std::int64_t>;
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, Sizes sizes) {
    const bool small = element_count(shape) < 100;
    out.push_back({{{dtype, std::move(shape)}}, {{"shape", std::move(sizes)}}});
    out.back().check_gradient = small && dtype == DType::f64;
  };
  add(DType::f64, {}, {1, 1});
  add(DType::f64, {1}, {});
  add(DType::f64, {0, 5}, {0, 7});
  add(DType::f64, {3, 5}, {15});
  add(DType::f64, {6, 1, 5}, {6, 5, 1});
  add(DType::f64, {6, 4}, {6, 2, 2});
  add(DType::f64, {batch(7), 3, 2}, {7, 6});
  add(DType::f64, {65, 67}, {67, 65});
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(dtype, {3, 5}, {5, 3});
  return out;
}

}  // namespace penstock::program
