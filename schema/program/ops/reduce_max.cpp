#include "schema/program/ops/reduce_max.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> ReduceMax::attributes() {
  return {{"dims", AttributeKind::integers}};
}

Result<Types> ReduceMax::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_TRY(check_elements(x, Elements::numbers));
  PENSTOCK_TRY(check_dims(in.attributes.integers("dims"), x.shape));
  return Types{{x.dtype, without(in.attributes.integers("dims"), x.shape)}};
}

ShardingRule ReduceMax::sharding(OpInputs in) {
  return reduction_rule(in.types[0].shape, in.attributes.integers("dims"), Reduced::whole,
                        Linearity::none);
}

Cost ReduceMax::cost(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType result{x.dtype, without(in.attributes.integers("dims"), x.shape)};
  return {static_cast<double>(element_count(x.shape)), traffic(in.types, {&result, 1})};
}

std::vector<ValueId> ReduceMax::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  const ValueId x = node.inputs[0];
  const TensorType type = b.type(x);
  const std::vector<std::int64_t>& dims = node.attributes.integers("dims");
  const std::vector<std::int64_t> kept = other_dims(dims, type.shape);
  const ValueId highest = b.broadcast(node.outputs[0], type.shape, kept);
  const ValueId at_max = b.apply("cast", {b.apply("equal", {x, highest})}, {{"dtype", type.dtype}});
  const ValueId count = b.apply("reduce_sum", {at_max}, {{"dims", dims}});
  const ValueId share = b.broadcast(b.apply("divide", {g[0], count}), type.shape, kept);
  return {b.apply("multiply", {share, at_max})};
}

std::vector<Example> ReduceMax::examples() {
  using Dims = std::vector<std::int64_t>;
  const auto f64 = [](Shape shape, Dims dims) {
    return Example{{{DType::f64, std::move(shape)}}, {{"dims", std::move(dims)}}};
  };
  std::vector<Example> out = {
      f64({1}, {0}),           f64({0, 3}, {1}),        f64({3, 5}, {0}),
      f64({3, 5}, {1}),        f64({3, 5}, {0, 1}),     f64({3, 5, 7}, {1}),
      f64({batch(7), 3}, {0}), f64({batch(7), 3}, {1}), f64({65, 67}, {1}),
  };
  out.back().check_gradient = false;
  for (const DType dtype : {DType::i32, DType::i64, DType::u8})
    out.push_back({{{dtype, {3, 5}}}, {{"dims", Dims{1}}}});
  return out;
}

}  // namespace penstock::program
