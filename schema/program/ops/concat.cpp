#include "schema/program/ops/concat.h"

#include "base/units.h"
#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Concat::attributes() {
  return {{"dim", AttributeKind::integer}};
}

Result<Types> Concat::infer(OpInputs in) {
  const std::int64_t dim = in.attributes.integer("dim");
  Types out{in.types[0]};
  PENSTOCK_TRY(check_elements(in.types[0], Elements::any));
  PENSTOCK_TRY(check_dim_whole(dim, in.types[0]));
  Dim& extent = out[0].shape[static_cast<std::size_t>(dim)];
  for (const TensorType& other : in.types.subspan(1)) {
    TensorType alike = in.types[0];
    PENSTOCK_TRY(check_dim_whole(dim, other));
    alike.shape[static_cast<std::size_t>(dim)] = other.shape[static_cast<std::size_t>(dim)];
    if (alike != other)
      return invalid("cannot join " + to_text(in.types[0]) + " and " + to_text(other) +
                     " along dimension " + std::to_string(dim) + ": the others must be equal");
    PENSTOCK_ASSIGN(extent.bound,
                    checked_add(extent.bound, other.shape[static_cast<std::size_t>(dim)].bound));
  }
  PENSTOCK_TRY(check_shape(out[0].shape, {}));
  return out;
}

ShardingRule Concat::sharding(OpInputs in) {
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), in.types.size(), 1,
                    for_floats(in, Linearity::in_all));
}

Cost Concat::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<ValueId> Concat::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const std::int64_t dim = node.attributes.integer("dim");
  std::vector<ValueId> out;
  std::int64_t start = 0;
  for (const ValueId input : node.inputs) {
    const std::int64_t size = b.type(input).shape[static_cast<std::size_t>(dim)].bound;
    out.push_back(b.apply("slice", {g[0]},
                          {{"dim", dim},
                           {"start", size > 0 ? start : 0},
                           {"size", size},
                           {"step", std::int64_t{1}}}));
    start += size;
  }
  return out;
}

std::vector<Example> Concat::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, std::vector<Shape> shapes, std::int64_t dim) {
    Example example;
    for (Shape& shape : shapes) example.operands.push_back({dtype, std::move(shape)});
    example.attributes.set("dim", dim);
    example.check_gradient = dtype == DType::f64 && element_count(example.operands[0].shape) < 1000;
    out.push_back(std::move(example));
  };
  add(DType::f64, {{1}}, 0);
  add(DType::f64, {{0, 3}, {2, 3}}, 0);
  add(DType::f64, {{3, 5}, {3, 2}, {3, 1}}, 1);
  add(DType::f64, {{2, 3, 4}, {2, 1, 4}}, 1);
  add(DType::f64, {{batch(7), 3}, {batch(7), 2}}, 1);
  add(DType::f64, {{65, 67}, {65, 3}}, 1);
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(dtype, {{2, 3}, {2, 2}}, 1);
  return out;
}

}  // namespace penstock::program
