#include "schema/program/ops/embedding.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

/// table [v,d] and indices [..] -> [..,d]
ShardingRule rule_for(std::size_t rank) {
  ShardingRule rule;
  rule.linearity = Linearity::first_only;
  std::vector<int> indices;
  for (std::size_t i = 0; i < rank; ++i) indices.push_back(static_cast<int>(i) + 1);
  rule.operands = {{ShardingRule::kWhole, 0}, indices};
  indices.push_back(0);
  rule.results = {indices};
  return rule;
}

}  // namespace

std::vector<AttributeSpec> Embedding::attributes() {
  return {};
}

Result<Types> Embedding::infer(OpInputs in) {
  const TensorType &table = in.types[0], &indices = in.types[1];
  PENSTOCK_TRY(check_elements(table, Elements::floats));
  if (indices.dtype != DType::i32 && indices.dtype != DType::i64)
    return invalid("indices must be i32 or i64, got " + to_text(indices));
  if (table.shape.size() != 2 || dynamic_dim(table.shape) >= 0)
    return invalid("takes a table [v,d] and indices, got " + to_text(table));
  TensorType out{table.dtype, indices.shape};
  out.shape.push_back(table.shape[1]);
  PENSTOCK_TRY(check_shape(out.shape, {}));
  return Types{out};
}

ShardingRule Embedding::sharding(OpInputs in) {
  return rule_for(in.types[1].shape.size());
}

Cost Embedding::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<ValueId> Embedding::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  const std::int64_t rows = b.type(node.inputs[0]).shape[0].bound;
  return {b.apply("embedding_gradient", {node.inputs[1], g[0]}, {{"rows", rows}}), ValueId()};
}

std::vector<Example> Embedding::examples() {
  std::vector<Example> out;
  const auto add = [&](Shape indices, std::int64_t rows, std::int64_t width, DType dtype) {
    out.push_back({{{DType::f64, {rows, width}}, {dtype, std::move(indices)}}, {}});
    out.back().integer_below = rows;
    out.back().check_gradient = rows < 50;
  };
  add({}, 1, 1, DType::i64);
  add({0}, 3, 2, DType::i32);
  add({4}, 3, 0, DType::i32);
  add({5}, 3, 4, DType::i32);  // rows are taken more than once
  add({2, 3}, 7, 5, DType::i64);
  add({batch(7), 3}, 5, 3, DType::i32);
  add({65}, 97, 67, DType::i64);
  return out;
}

}  // namespace penstock::program
