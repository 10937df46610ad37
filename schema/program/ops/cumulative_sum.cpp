#include "schema/program/ops/cumulative_sum.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> CumulativeSum::attributes() {
  return {{"dim", AttributeKind::integer},
          {"exclusive", AttributeKind::boolean, Attribute(false)},
          {"reverse", AttributeKind::boolean, Attribute(false)}};
}

Result<Types> CumulativeSum::infer(OpInputs in) {
  PENSTOCK_TRY(check_elements(in.types[0], Elements::signed_numbers));
  PENSTOCK_TRY(check_dim_whole(in.attributes.integer("dim"), in.types[0]));
  return Types{in.types[0]};
}

ShardingRule CumulativeSum::sharding(OpInputs in) {
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), 1, 1,
                    for_floats(in, Linearity::in_each));
}

Cost CumulativeSum::cost(OpInputs in) {
  return pointwise_cost(in, in.types[0], 1);
}

std::vector<ValueId> CumulativeSum::gradient(Builder& b, const OpNode& node,
                                             std::span<const ValueId> g) {
  Attributes back = node.attributes;
  back.set("reverse", !node.attributes.boolean("reverse"));
  return {b.apply("cumulative_sum", {g[0]}, std::move(back))};
}

std::vector<Example> CumulativeSum::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim) {
    for (const bool exclusive : {false, true})
      for (const bool reverse : {false, true}) {
        out.push_back(
            {{{dtype, shape}}, {{"dim", dim}, {"exclusive", exclusive}, {"reverse", reverse}}});
        out.back().check_gradient = dtype == DType::f64 && element_count(shape) < 200;
      }
  };
  add(DType::f64, {1}, 0);
  add(DType::f64, {0, 3}, 1);
  add(DType::f64, {3, 5, 2}, 1);
  add(DType::f64, {batch(7), 3}, 1);
  add(DType::f64, {65, 67}, 1);
  add(DType::i32, {3, 5}, 0);
  add(DType::i64, {3, 5}, 1);
  return out;
}

}  // namespace penstock::program
