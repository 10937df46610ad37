#include "schema/program/ops/scatter_add.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> ScatterAdd::attributes() {
  return {{"dim", AttributeKind::integer}};
}

Result<Types> ScatterAdd::infer(OpInputs in) {
  PENSTOCK_TRY(check_elements(in.types[0], Elements::numbers));
  PENSTOCK_TRY(check_along(in.attributes.integer("dim"), in.types[0], in.types[1]));
  if (in.types[2] != TensorType{in.types[0].dtype, in.types[1].shape})
    return invalid("updates " + to_text(in.types[2]) + " must have the type of " +
                   to_text(in.types[0]) + " and the shape of the indices " + to_text(in.types[1]));
  return Types{in.types[0]};
}

ShardingRule ScatterAdd::sharding(OpInputs in) {
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), 3, 1, Linearity::none);
}

Cost ScatterAdd::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<ValueId> ScatterAdd::gradient(Builder& b, const OpNode& node,
                                          std::span<const ValueId> g) {
  return {g[0], ValueId(),
          b.apply("gather", {g[0], node.inputs[1]}, {{"dim", node.attributes.integer("dim")}})};
}

std::vector<Example> ScatterAdd::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim, std::int64_t size,
                       DType indices) {
    const TensorType x{dtype, shape};
    shape[static_cast<std::size_t>(dim)] = size;
    const std::int64_t below = x.shape[static_cast<std::size_t>(dim)].bound;
    out.push_back({{x, {indices, shape}, {dtype, shape}}, {{"dim", dim}}});
    out.back().integer_below = below;
    out.back().check_gradient = dtype == DType::f64 && element_count(x.shape) < 100;
  };
  add(DType::f64, {1}, 0, 1, DType::i64);
  add(DType::f64, {4, 3}, 0, 0, DType::i32);
  add(DType::f64, {5, 0}, 0, 2, DType::i32);
  add(DType::f64, {5, 3}, 0, 2, DType::i64);
  add(DType::f64, {2, 3, 4}, 1, 3, DType::i32);
  add(DType::f64, {batch(7), 4}, 1, 2, DType::i64);
  add(DType::f64, {65, 67}, 1, 9, DType::i32);
  return out;
}

}  // namespace penstock::program
