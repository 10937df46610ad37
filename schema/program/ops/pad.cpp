#include "schema/program/ops/pad.h"

#include "base/units.h"
#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

std::int64_t padded(std::int64_t extent, const Attributes& attributes) {
  const std::int64_t gaps = extent > 0 ? (extent - 1) * attributes.integer("interior") : 0;
  return attributes.integer("low") + extent + gaps + attributes.integer("high");
}

}  // namespace

std::vector<AttributeSpec> Pad::attributes() {
  const Attribute none(std::int64_t{0});
  return {{"dim", AttributeKind::integer},
          {"low", AttributeKind::integer, none},
          {"high", AttributeKind::integer, none},
          {"interior", AttributeKind::integer, none},
          {"value", AttributeKind::real, Attribute(0.0)}};
}

Result<Types> Pad::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const std::int64_t dim = in.attributes.integer("dim");
  PENSTOCK_TRY(check_elements(x, Elements::any));
  PENSTOCK_TRY(check_dim_whole(dim, x));
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  for (const char* name : {"low", "high", "interior"})
    if (const std::int64_t n = in.attributes.integer(name); n < 0 || n > kMost)
      return invalid(std::string(name) + " = " + std::to_string(n) + "; from 0 to 2^32 may be");
  Types out{x};
  Dim& extent = out[0].shape[static_cast<std::size_t>(dim)];
  PENSTOCK_TRY(checked_mul(extent.bound, in.attributes.integer("interior") + 1));
  extent = padded(extent.bound, in.attributes);
  PENSTOCK_TRY(check_shape(out[0].shape, {}));
  return out;
}

ShardingRule Pad::sharding(OpInputs in) {
  // Linear where what is filled in is nothing.
  const bool zeros = in.attributes.real("value") == 0;
  return along_rule(in.types[0].shape.size(), in.attributes.integer("dim"), 1, 1,
                    zeros ? for_floats(in, Linearity::in_each) : Linearity::none);
}

Cost Pad::cost(OpInputs in) {
  const Types results = infer(in).value();
  return {0, 2 * traffic({}, results)};
}

std::vector<ValueId> Pad::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const std::int64_t dim = node.attributes.integer("dim");
  const std::int64_t extent = b.type(node.inputs[0]).shape[static_cast<std::size_t>(dim)].bound;
  const std::int64_t step = extent > 1 ? node.attributes.integer("interior") + 1 : 1;
  const std::int64_t start = extent > 0 ? node.attributes.integer("low") : 0;
  return {
      b.apply("slice", {g[0]}, {{"dim", dim}, {"start", start}, {"size", extent}, {"step", step}})};
}

std::vector<Example> Pad::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim, std::int64_t low,
                       std::int64_t high, std::int64_t interior, double value) {
    out.push_back(
        {{{dtype, std::move(shape)}},
         {{"dim", dim}, {"low", low}, {"high", high}, {"interior", interior}, {"value", value}}});
    out.back().check_gradient =
        dtype == DType::f64 && element_count(out.back().operands[0].shape) < 1000;
  };
  add(DType::f64, {1}, 0, 0, 0, 0, 0);
  add(DType::f64, {0, 3}, 1, 1, 2, 1, 0);
  add(DType::f64, {2, 0}, 1, 1, 2, 1, 3);
  add(DType::f64, {7, 5}, 0, 2, 1, 0, -1.5);
  add(DType::f64, {3, 4, 2}, 1, 0, 3, 2, 0);
  add(DType::f64, {batch(7), 3}, 1, 1, 1, 0, 0);
  add(DType::f64, {65, 67}, 1, 3, 4, 0, 0.5);
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(dtype, {4, 5}, 1, 1, 0, 1, 1);
  return out;
}

}  // namespace penstock::program
