#include "schema/program/ops/conv2d_input_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/conv2d.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> Conv2dInputGradient::attributes() {
  return {{"input", AttributeKind::integers}, strides_spec(), padding_spec()};
}

Result<Types> Conv2dInputGradient::infer(OpInputs in) {
  const TensorType& g = in.types[0];
  const TensorType& filter = in.types[1];
  PENSTOCK_TRY(check_images(g, "g"));
  PENSTOCK_TRY(check_filter(filter, g.dtype));
  if (filter.shape[3] != g.shape[3])
    return invalid("numbers of output channels differ: g " + to_text(g.shape) + ", filter " +
                   to_text(filter.shape));
  PENSTOCK_ASSIGN(const Plane input, read_plane(in.attributes, "input", 1));
  PENSTOCK_ASSIGN(const Windows windows,
                  read_windows(in.attributes, {filter.shape[0].bound, filter.shape[1].bound}));
  PENSTOCK_ASSIGN(const Plane out, window_count(windows, input));
  PENSTOCK_TRY(check_plane(g, out));
  return Types{{g.dtype, {g.shape[0], input.h, input.w, filter.shape[2]}}};
}

ShardingRule Conv2dInputGradient::sharding(OpInputs) {
  return ShardingRule::parse("n . . o, . . c o -> n . . c", Linearity::in_each);
}

Cost Conv2dInputGradient::cost(OpInputs in) {
  const Result<Types> result = infer(in);
  if (!result.ok()) return {};
  const Shape& filter = in.types[1].shape;
  const Shape per_output = {filter[0], filter[1], filter[2]};
  return {2 * static_cast<double>(element_count(in.types[0].shape)) *
              static_cast<double>(element_count(per_output)),
          traffic(in.types, *result)};
}

std::vector<ValueId> Conv2dInputGradient::gradient(Builder& b, const OpNode& node,
                                                   std::span<const ValueId> g) {
  const Shape filter = b.type(node.inputs[1]).shape;
  Attributes forward, for_filter;
  for (const auto& item : node.attributes.items())
    if (item.first != "input") forward.set(item.first, item.second);
  for_filter = forward;
  for_filter.set("filter", std::vector<std::int64_t>{filter[0].bound, filter[1].bound});
  return {b.apply("conv2d", {g[0], node.inputs[1]}, std::move(forward)),
          b.apply("conv2d_filter_gradient", {g[0], node.inputs[0]}, std::move(for_filter))};
}

std::vector<Example> Conv2dInputGradient::examples() {
  std::vector<Example> out;
  for (const ConvolutionCase& c : convolution_cases()) {
    Attributes attributes = window_attributes(c.stride, c.padding);
    const TensorType types[] = {c.x, c.filter};
    const Types g = Conv2d::infer({types, attributes}).value();
    attributes.set("input", std::vector<std::int64_t>{c.x.shape[1].bound, c.x.shape[2].bound});
    out.push_back({{g[0], c.filter}, std::move(attributes)});
    out.back().check_gradient = c.small;
  }
  return out;
}

}  // namespace penstock::program
