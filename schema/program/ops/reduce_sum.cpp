#include "schema/program/ops/reduce_sum.h"

#include "schema/program/builder.h"
#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> ReduceSum::attributes() {
  return {{"dims", AttributeKind::integers}};
}

Result<Types> ReduceSum::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_TRY(check_elements(x, Elements::signed_numbers));
  PENSTOCK_TRY(check_dims(in.attributes.integers("dims"), x.shape));
  return Types{{x.dtype, without(in.attributes.integers("dims"), x.shape)}};
}

ShardingRule ReduceSum::sharding(OpInputs in) {
  return reduction_rule(in.types[0].shape, in.attributes.integers("dims"), Reduced::contracted,
                        Linearity::in_each);
}

Cost ReduceSum::cost(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType result{x.dtype, without(in.attributes.integers("dims"), x.shape)};
  return {static_cast<double>(element_count(x.shape)), traffic(in.types, {&result, 1})};
}

std::vector<ValueId> ReduceSum::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  const Shape shape = b.type(node.inputs[0]).shape;
  return {b.broadcast(g[0], shape, other_dims(node.attributes.integers("dims"), shape))};
}

std::vector<Example> ReduceSum::examples() {
  using Dims = std::vector<std::int64_t>;
  const auto f64 = [](Shape shape, Dims dims) {
    return Example{{{DType::f64, std::move(shape)}}, {{"dims", std::move(dims)}}};
  };
  std::vector<Example> out = {
      f64({}, {}),
      f64({1}, {0}),
      f64({0}, {0}),
      f64({3, 0}, {1}),
      f64({3, 5}, {0}),
      f64({3, 5}, {1}),
      f64({3, 5}, {0, 1}),
      f64({3, 5, 7}, {1}),
      f64({3, 5, 7}, {0, 2}),
      f64({batch(7), 3}, {0}),
      f64({batch(7), 3}, {1}),
      f64({65, 67}, {0}),
  };
  out.back().check_gradient = false;
  for (const DType dtype : {DType::i32, DType::i64})
    out.push_back({{{dtype, {3, 5}}}, {{"dims", Dims{1}}}});
  return out;
}

}  // namespace penstock::program
