#include "schema/program/ops/broadcast.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

Result<Shape> result_shape(OpInputs in) {
  const std::vector<std::int64_t>& sizes = in.attributes.integers("shape");
  Shape shape(sizes.begin(), sizes.end());
  PENSTOCK_TRY(check_shape(shape, {}));
  const std::int64_t dynamic = in.attributes.integer("dynamic_dim");
  if (dynamic < -1 || dynamic >= static_cast<std::int64_t>(shape.size()))
    return invalid("dynamic_dim " + std::to_string(dynamic) + " is no dimension of " +
                   to_text(shape));
  if (dynamic >= 0) shape[static_cast<std::size_t>(dynamic)].dynamic = true;
  return shape;
}

Error no_fit(const Shape& from, const Shape& to, const std::vector<std::int64_t>& dims) {
  return invalid("cannot broadcast " + to_text(from) + " to " + to_text(to) + " along dims " +
                 to_text(Attribute(dims)) +
                 ": dims must name, in order, one dimension of equal size for each of the "
                 "operand's; reshape sizes of 1 away first");
}

}  // namespace

Attributes Broadcast::to(const Shape& shape, std::vector<std::int64_t> dims) {
  return {{"shape", bounds(shape)},
          {"dims", std::move(dims)},
          {"dynamic_dim", static_cast<std::int64_t>(dynamic_dim(shape))}};
}

std::vector<AttributeSpec> Broadcast::attributes() {
  return {{"shape", AttributeKind::integers},
          {"dims", AttributeKind::integers},
          {"dynamic_dim", AttributeKind::integer, Attribute(std::int64_t{-1})}};
}

Result<Types> Broadcast::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const std::vector<std::int64_t>& dims = in.attributes.integers("dims");
  PENSTOCK_ASSIGN(Shape shape, result_shape(in));
  if (dims.size() != x.shape.size()) return no_fit(x.shape, shape, dims);
  std::int64_t last = -1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] <= last || dims[i] >= static_cast<std::int64_t>(shape.size()))
      return no_fit(x.shape, shape, dims);
    last = dims[i];
    Dim& to = shape[static_cast<std::size_t>(last)];
    if (x.shape[i].bound != to.bound) return no_fit(x.shape, shape, dims);
    if (to.dynamic && !x.shape[i].dynamic) return no_fit(x.shape, shape, dims);
    to.dynamic = x.shape[i].dynamic;
  }
  return Types{{x.dtype, std::move(shape)}};
}

ShardingRule Broadcast::sharding(OpInputs in) {
  ShardingRule rule;
  rule.linearity = Linearity::in_each;
  const std::size_t rank = in.attributes.integers("shape").size();
  rule.results.emplace_back();
  for (std::size_t i = 0; i < rank; ++i) rule.results[0].push_back(static_cast<int>(i));
  rule.operands.emplace_back();
  for (const std::int64_t dim : in.attributes.integers("dims"))
    rule.operands[0].push_back(static_cast<int>(dim));
  return rule;
}

Attributes Broadcast::resize(OpInputs whole, std::span<const TensorType>,
                             std::span<const TensorType> results) {
  Attributes out = whole.attributes;
  out.set("shape", bounds(results[0].shape));
  return out;
}

Cost Broadcast::cost(OpInputs in) {
  const std::vector<std::int64_t>& sizes = in.attributes.integers("shape");
  const TensorType result{in.types[0].dtype, Shape(sizes.begin(), sizes.end())};
  return {0, traffic(in.types, {&result, 1})};
}

std::vector<ValueId> Broadcast::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  const std::vector<std::int64_t> added =
      other_dims(node.attributes.integers("dims"), b.type(node.outputs[0]).shape);
  if (added.empty()) return {g[0]};
  return {b.apply("reduce_sum", {g[0]}, {{"dims", added}})};
}

std::vector<Example> Broadcast::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape from, const Shape& shape,
                       std::vector<std::int64_t> dims) {
    out.push_back({{{dtype, std::move(from)}}, to(shape, std::move(dims))});
    out.back().check_gradient = dtype == DType::f64 && element_count(shape) < 1000;
  };
  add(DType::f64, {}, {1}, {});
  add(DType::f64, {}, {3, 5}, {});
  add(DType::f64, {1}, {1}, {0});
  add(DType::f64, {5}, {3, 5}, {1});
  add(DType::f64, {3}, {3, 5}, {0});
  add(DType::f64, {0}, {3, 0}, {1});
  add(DType::f64, {3, 5}, {2, 3, 7, 5}, {1, 3});
  add(DType::f64, {3}, {batch(7), 3}, {1});
  add(DType::f64, {batch(7)}, {batch(7), 3}, {0});
  add(DType::f64, {}, {batch(7)}, {});
  add(DType::f64, {4099}, {3, 4099}, {1});
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    add(dtype, {5}, {3, 5}, {1});
  return out;
}

}  // namespace penstock::program
