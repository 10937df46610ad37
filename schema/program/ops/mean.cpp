#include "schema/program/ops/mean.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

/// Elements along the static ones of `dims`.
std::int64_t static_count(const Shape& shape, const std::vector<std::int64_t>& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    const Dim& size = shape[static_cast<std::size_t>(dim)];
    if (!size.dynamic) count *= size.bound;
  }
  return count;
}

bool over_batch(const Shape& shape, const std::vector<std::int64_t>& dims) {
  for (const std::int64_t dim : dims)
    if (shape[static_cast<std::size_t>(dim)].dynamic) return true;
  return false;
}

/// What a sum over the operand's dims is divided by, as a scalar.
ValueId divisor(Builder& b, const TensorType& type, const Attributes& attributes) {
  const std::vector<std::int64_t>& dims = attributes.integers("dims");
  const std::int64_t of = attributes.integer("of");
  const ValueId count =
      b.constant(static_cast<double>(of > 0 ? of : static_count(type.shape, dims)), type.dtype);
  if (!over_batch(type.shape, dims)) return count;
  const ValueId rows = b.apply("batch_size", {}, {{"dtype", type.dtype}});
  return b.apply("multiply", {count, rows});
}

ValueId divided(Builder& b, ValueId value, ValueId by) {
  const Shape shape = b.type(value).shape;
  return b.apply("divide", {value, b.broadcast_scalar(by, shape)});
}

}  // namespace

std::vector<AttributeSpec> Mean::attributes() {
  return {{"dims", AttributeKind::integers},
          {"of", AttributeKind::integer, Attribute(std::int64_t{0})}};
}

Result<Types> Mean::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_TRY(check_elements(x, Elements::floats));
  const std::vector<std::int64_t>& dims = in.attributes.integers("dims");
  PENSTOCK_TRY(check_dims(dims, x.shape));
  const std::int64_t of = in.attributes.integer("of");
  if (of < 0 || (of > 0 && of < static_count(x.shape, dims)))
    return invalid("of = " + std::to_string(of) + " is less than the elements of " + to_text(x) +
                   " along dims " + to_text(Attribute(dims)) + "; use 0 for just these");
  return Types{{x.dtype, without(dims, x.shape)}};
}

ShardingRule Mean::sharding(OpInputs in) {
  return reduction_rule(in.types[0].shape, in.attributes.integers("dims"), Reduced::contracted,
                        Linearity::in_each);
}

Attributes Mean::resize(OpInputs whole, std::span<const TensorType>, std::span<const TensorType>) {
  Attributes out = whole.attributes;
  if (out.integer("of") == 0)
    out.set("of", static_count(whole.types[0].shape, out.integers("dims")));
  return out;
}

Cost Mean::cost(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType result{x.dtype, without(in.attributes.integers("dims"), x.shape)};
  return {static_cast<double>(element_count(x.shape)), traffic(in.types, {&result, 1})};
}

std::vector<ValueId> Mean::expand(Builder& b, const OpNode& node) {
  const TensorType type = b.type(node.inputs[0]);
  const ValueId sum =
      b.apply("reduce_sum", {node.inputs[0]}, {{"dims", node.attributes.integers("dims")}});
  return {divided(b, sum, divisor(b, type, node.attributes))};
}

std::vector<ValueId> Mean::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const TensorType type = b.type(node.inputs[0]);
  const ValueId share = divided(b, g[0], divisor(b, type, node.attributes));
  return {b.broadcast(share, type.shape, other_dims(node.attributes.integers("dims"), type.shape))};
}

std::vector<Example> Mean::examples() {
  std::vector<Example> out;
  const auto add = [&](Shape shape, std::vector<std::int64_t> dims, std::int64_t of) {
    const bool small = element_count(shape) < 200;
    out.push_back({{{DType::f64, std::move(shape)}}, {{"dims", std::move(dims)}, {"of", of}}});
    out.back().check_gradient = small;
  };
  add({1}, {0}, 0);
  add({0, 3}, {1}, 0);
  add({3, 5}, {0, 1}, 0);
  add({3, 5}, {1}, 0);
  add({3, 5}, {1}, 20);
  add({3, 5, 7}, {0, 2}, 0);
  add({batch(7)}, {0}, 0);
  add({batch(7), 3}, {0, 1}, 0);
  add({batch(7), 3}, {1}, 0);
  add({65, 67}, {0, 1}, 0);
  return out;
}

}  // namespace penstock::program
