#include "schema/program/ops/embedding_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> EmbeddingGradient::attributes() {
  return {{"rows", AttributeKind::integer}};
}

Result<Types> EmbeddingGradient::infer(OpInputs in) {
  const TensorType &indices = in.types[0], &g = in.types[1];
  PENSTOCK_TRY(check_elements(g, Elements::floats));
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    return invalid("indices must be i32 or i64, got " + to_text(indices));
  if (g.shape.empty() || Shape(g.shape.begin(), g.shape.end() - 1) != indices.shape)
    return invalid("takes indices [..] and gradients [..,d], got " + to_text(indices) + " and " +
                   to_text(g));
  const Shape shape{in.attributes.integer("rows"), g.shape.back()};
  PENSTOCK_TRY(check_shape(shape, {}));
  return Types{{g.dtype, shape}};
}

ShardingRule EmbeddingGradient::sharding(OpInputs in) {
  ShardingRule rule;
  rule.linearity = Linearity::none;
  std::vector<int> indices;
  for (std::size_t i = 0; i < in.types[0].shape.size(); ++i)
    indices.push_back(static_cast<int>(i) + 1);
  std::vector<int> g = indices;
  g.push_back(0);
  rule.operands = {indices, g};
  rule.results = {{ShardingRule::kWhole, 0}};
  return rule;
}

Cost EmbeddingGradient::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {static_cast<double>(element_count(in.types[1].shape)), traffic(in.types, results)};
}

std::vector<ValueId> EmbeddingGradient::gradient(Builder& b, const OpNode& node,
                                                 std::span<const ValueId> g) {
  return {ValueId(), b.apply("embedding", {g[0], node.inputs[0]})};
}

std::vector<Example> EmbeddingGradient::examples() {
  std::vector<Example> out;
  const auto add = [&](Shape indices, std::int64_t rows, std::int64_t width, DType dtype) {
    Shape g = indices;
    g.push_back(width);
    out.push_back({{{dtype, std::move(indices)}, {DType::f64, std::move(g)}}, {{"rows", rows}}});
    out.back().integer_below = rows;
    out.back().check_gradient = rows < 50;
  };
  add({}, 1, 1, DType::i64);
  add({0}, 3, 2, DType::i32);
  add({5}, 3, 4, DType::i32);  // rows are added more than once
  add({2, 3}, 7, 5, DType::i64);
  add({batch(7), 3}, 5, 3, DType::i32);
  add({4099}, 97, 3, DType::i64);
  return out;
}

}  // namespace penstock::program
