#include "schema/program/ops/conv2d.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> Conv2d::attributes() {
  return {strides_spec(), padding_spec()};
}

Result<Types> Conv2d::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType& filter = in.types[1];
  PENSTOCK_TRY(check_images(x, "x"));
  PENSTOCK_TRY(check_filter(filter, x.dtype));
  if (filter.shape[2] != x.shape[3])
    return invalid("numbers of channels differ: x " + to_text(x.shape) + ", filter " +
                   to_text(filter.shape));
  PENSTOCK_ASSIGN(const Windows windows,
                  read_windows(in.attributes, {filter.shape[0].bound, filter.shape[1].bound}));
  PENSTOCK_ASSIGN(const Plane out, window_count(windows, plane_of(x.shape)));
  return Types{{x.dtype, {x.shape[0], out.h, out.w, filter.shape[3]}}};
}

ShardingRule Conv2d::sharding(OpInputs) {
  return ShardingRule::parse("n . . c, . . c o -> n . . o", Linearity::in_each);
}

Cost Conv2d::cost(OpInputs in) {
  const Result<Types> result = infer(in);
  if (!result.ok()) return {};
  const Shape& filter = in.types[1].shape;
  const Shape per_output = {filter[0], filter[1], filter[2]};
  return {2 * static_cast<double>(element_count((*result)[0].shape)) *
              static_cast<double>(element_count(per_output)),
          traffic(in.types, *result)};
}

std::vector<ValueId> Conv2d::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId x = node.inputs[0], filter = node.inputs[1];
  const Plane input = plane_of(b.type(x).shape);
  const Shape kernel = b.type(filter).shape;
  Attributes for_input = node.attributes, for_filter = node.attributes;
  for_input.set("input", std::vector<std::int64_t>{input.h, input.w});
  for_filter.set("filter", std::vector<std::int64_t>{kernel[0].bound, kernel[1].bound});
  return {b.apply("conv2d_input_gradient", {g[0], filter}, std::move(for_input)),
          b.apply("conv2d_filter_gradient", {x, g[0]}, std::move(for_filter))};
}

std::vector<Example> Conv2d::examples() {
  std::vector<Example> out;
  for (const ConvolutionCase& c : convolution_cases()) {
    out.push_back({{c.x, c.filter}, window_attributes(c.stride, c.padding)});
    out.back().check_gradient = c.small;
  }
  return out;
}

}  // namespace penstock::program
