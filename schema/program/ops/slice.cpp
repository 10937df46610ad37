#include "schema/program/ops/slice.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Slice::attributes() {
  return {{"dim", AttributeKind::integer},
          {"start", AttributeKind::integer},
          {"size", AttributeKind::integer},
          {"step", AttributeKind::integer, Attribute(std::int64_t{1})}};
}

Result<Types> Slice::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const std::int64_t dim = in.attributes.integer("dim"), start = in.attributes.integer("start"),
                     size = in.attributes.integer("size"), step = in.attributes.integer("step");
  PENSTOCK_TRY(check_elements(x, Elements::any));
  PENSTOCK_TRY(check_dim_whole(dim, x));
  Types out{x};
  const std::int64_t extent = x.shape[static_cast<std::size_t>(dim)].bound;
  out[0].shape[static_cast<std::size_t>(dim)] = size;
  const bool sane = size >= 0 && size <= extent && step != 0 && step >= -extent && step <= extent;
  const std::int64_t last = sane && size > 0 ? start + (size - 1) * step : 0;
  const bool inside = size == 0 || (start >= 0 && start < extent && last >= 0 && last < extent);
  if (sane && inside) return out;
  return invalid("cannot take " + std::to_string(size) + " elements from " + std::to_string(start) +
                 " by steps of " + std::to_string(step) + " along dimension " +
                 std::to_string(dim) + " of " + to_text(x));
}

ShardingRule Slice::sharding(OpInputs in) {
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), 1, 1,
                    for_floats(in, Linearity::in_each));
}

Cost Slice::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<ValueId> Slice::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const std::int64_t dim = node.attributes.integer("dim"), start = node.attributes.integer("start"),
                     size = node.attributes.integer("size"), step = node.attributes.integer("step");
  const std::int64_t extent = b.type(node.inputs[0]).shape[static_cast<std::size_t>(dim)].bound;
  ValueId forward = g[0];
  std::int64_t low = start;
  if (step < 0 && size > 0) {  // backwards: from the lowest element on
    forward =
        b.apply("slice", {g[0]},
                {{"dim", dim}, {"start", size - 1}, {"size", size}, {"step", std::int64_t{-1}}});
    low = start + (size - 1) * step;
  }
  const std::int64_t interior = size > 1 ? (step < 0 ? -step : step) - 1 : 0;
  const std::int64_t used = size > 0 ? size + (size - 1) * interior : 0;
  if (size == 0) low = 0;
  return {b.apply("pad", {forward},
                  {{"dim", dim},
                   {"low", low},
                   {"high", extent - low - used},
                   {"interior", interior},
                   {"value", 0.0}})};
}

std::vector<Example> Slice::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim, std::int64_t start,
                       std::int64_t size, std::int64_t step) {
    out.push_back({{{dtype, std::move(shape)}},
                   {{"dim", dim}, {"start", start}, {"size", size}, {"step", step}}});
    out.back().check_gradient =
        dtype == DType::f64 && element_count(out.back().operands[0].shape) < 1000;
  };
  add(DType::f64, {1}, 0, 0, 1, 1);
  add(DType::f64, {5}, 0, 2, 0, 1);
  add(DType::f64, {0, 3}, 1, 1, 2, 1);
  add(DType::f64, {7, 5}, 0, 1, 3, 2);
  add(DType::f64, {7, 5}, 1, 4, 5, -1);
  add(DType::f64, {3, 9, 2}, 1, 7, 3, -3);
  add(DType::f64, {batch(7), 5}, 1, 1, 3, 1);
  add(DType::f64, {65, 67}, 1, 3, 60, 1);
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(dtype, {4, 5}, 1, 0, 3, 2);
  return out;
}

}  // namespace penstock::program
