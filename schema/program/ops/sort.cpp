#include "schema/program/ops/sort.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Sort::attributes() {
  return {{"dim", AttributeKind::integer},
          {"descending", AttributeKind::boolean, Attribute(false)}};
}

Result<Types> Sort::infer(OpInputs in) {
  PENSTOCK_TRY(check_elements(in.types[0], Elements::numbers));
  PENSTOCK_TRY(check_dim_whole(in.attributes.integer("dim"), in.types[0]));
  return Types{in.types[0], {DType::i64, in.types[0].shape}};
}

ShardingRule Sort::sharding(OpInputs in) {
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), 1, 2, Linearity::none);
}

Cost Sort::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 32);
}

std::vector<ValueId> Sort::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  if (!g[0]) return {ValueId()};
  const ValueId zeros = b.fill_like(0, b.type(node.inputs[0]));
  return {b.apply("scatter", {zeros, node.outputs[1], g[0]},
                  {{"dim", node.attributes.integer("dim")}})};
}

std::vector<Example> Sort::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim) {
    for (const bool descending : {false, true}) {
      out.push_back({{{dtype, shape}}, {{"dim", dim}, {"descending", descending}}});
      out.back().check_gradient = dtype == DType::f64 && element_count(shape) < 100;
    }
  };
  add(DType::f64, {1}, 0);
  add(DType::f64, {0, 3}, 1);
  add(DType::f64, {3, 5, 2}, 1);
  add(DType::f64, {batch(7), 3}, 1);
  add(DType::f64, {65, 67}, 1);
  for (const DType dtype : {DType::i32, DType::i64, DType::u8}) add(dtype, {3, 9}, 1);  // has ties
  return out;
}

}  // namespace penstock::program
