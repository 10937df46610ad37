#include "schema/program/ops/conv2d_filter_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/conv2d.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> Conv2dFilterGradient::attributes() {
  return {{"filter", AttributeKind::integers}, strides_spec(), padding_spec()};
}

Result<Types> Conv2dFilterGradient::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType& g = in.types[1];
  PENSTOCK_TRY(check_images(x, "x"));
  PENSTOCK_TRY(check_images(g, "g"));
  if (x.dtype != g.dtype || x.shape[0] != g.shape[0])
    return invalid("batches or element types differ: x " + to_text(x) + ", g " + to_text(g));
  PENSTOCK_ASSIGN(const Plane filter, read_plane(in.attributes, "filter", 1));
  PENSTOCK_ASSIGN(const Windows windows, read_windows(in.attributes, filter));
  PENSTOCK_ASSIGN(const Plane out, window_count(windows, plane_of(x.shape)));
  PENSTOCK_TRY(check_plane(g, out));
  return Types{{x.dtype, {filter.h, filter.w, x.shape[3], g.shape[3]}}};
}

ShardingRule Conv2dFilterGradient::sharding(OpInputs) {
  return ShardingRule::parse("n . . c, n . . o -> . . c o", Linearity::in_each);
}

Cost Conv2dFilterGradient::cost(OpInputs in) {
  const Result<Types> result = infer(in);
  if (!result.ok()) return {};
  const Shape& filter = (*result)[0].shape;
  const Shape per_output = {filter[0], filter[1], filter[2]};
  return {2 * static_cast<double>(element_count(in.types[1].shape)) *
              static_cast<double>(element_count(per_output)),
          traffic(in.types, *result)};
}

std::vector<ValueId> Conv2dFilterGradient::gradient(Builder& b, const OpNode& node,
                                                    std::span<const ValueId> g) {
  const Plane input = plane_of(b.type(node.inputs[0]).shape);
  Attributes forward, for_input;
  for (const auto& item : node.attributes.items())
    if (item.first != "filter") forward.set(item.first, item.second);
  for_input = forward;
  for_input.set("input", std::vector<std::int64_t>{input.h, input.w});
  return {b.apply("conv2d_input_gradient", {node.inputs[1], g[0]}, std::move(for_input)),
          b.apply("conv2d", {node.inputs[0], g[0]}, std::move(forward))};
}

std::vector<Example> Conv2dFilterGradient::examples() {
  std::vector<Example> out;
  for (const ConvolutionCase& c : convolution_cases()) {
    Attributes attributes = window_attributes(c.stride, c.padding);
    const TensorType types[] = {c.x, c.filter};
    const Types g = Conv2d::infer({types, attributes}).value();
    attributes.set("filter",
                   std::vector<std::int64_t>{c.filter.shape[0].bound, c.filter.shape[1].bound});
    out.push_back({{c.x, g[0]}, std::move(attributes)});
    out.back().check_gradient = c.small;
  }
  return out;
}

}  // namespace penstock::program
