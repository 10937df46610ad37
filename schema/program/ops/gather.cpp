#include "schema/program/ops/gather.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Gather::attributes() {
  return {{"dim", AttributeKind::integer}};
}

Result<Types> Gather::infer(OpInputs in) {
  PENSTOCK_TRY(check_elements(in.types[0], Elements::any));
  PENSTOCK_TRY(check_along(in.attributes.integer("dim"), in.types[0], in.types[1]));
  return Types{{in.types[0].dtype, in.types[1].shape}};
}

ShardingRule Gather::sharding(OpInputs in) {
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), 2, 1,
                    is_float(in.types[0].dtype) ? Linearity::first_only : Linearity::none);
}

Cost Gather::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<ValueId> Gather::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId zeros = b.fill_like(0, b.type(node.inputs[0]));
  return {b.apply("scatter_add", {zeros, node.inputs[1], g[0]},
                  {{"dim", node.attributes.integer("dim")}}),
          ValueId()};
}

std::vector<Example> Gather::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim, std::int64_t size,
                       DType indices) {
    const TensorType x{dtype, shape};
    shape[static_cast<std::size_t>(dim)] = size;
    const std::int64_t below = x.shape[static_cast<std::size_t>(dim)].bound;
    out.push_back({{x, {indices, shape}}, {{"dim", dim}}});
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
