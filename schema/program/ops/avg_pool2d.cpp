#include "schema/program/ops/avg_pool2d.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> AvgPool2d::attributes() {
  return {{"window", AttributeKind::integers}, strides_spec(), padding_spec()};
}

Result<Types> AvgPool2d::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_TRY(check_images(x, "x"));
  PENSTOCK_ASSIGN(const Plane window, read_plane(in.attributes, "window", 1));
  PENSTOCK_ASSIGN(const Windows windows, read_windows(in.attributes, window));
  PENSTOCK_ASSIGN(const Plane out, window_count(windows, plane_of(x.shape)));
  return Types{{x.dtype, {x.shape[0], out.h, out.w, x.shape[3]}}};
}

ShardingRule AvgPool2d::sharding(OpInputs) {
  return ShardingRule::parse("n . . c -> n . . c", Linearity::in_each);
}

Cost AvgPool2d::cost(OpInputs in) {
  const Result<Types> result = infer(in);
  if (!result.ok()) return {};
  const std::vector<std::int64_t>& window = in.attributes.integers("window");
  return {static_cast<double>(window[0] * window[1]) *
              static_cast<double>(element_count((*result)[0].shape)),
          traffic(in.types, *result)};
}

std::vector<ValueId> AvgPool2d::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  const Plane input = plane_of(b.type(node.inputs[0]).shape);
  Attributes attributes = node.attributes;
  attributes.set("input", std::vector<std::int64_t>{input.h, input.w});
  return {b.apply("avg_pool2d_gradient", {g[0]}, std::move(attributes))};
}

std::vector<Example> AvgPool2d::examples() {
  std::vector<Example> out;
  for (const PoolCase& c : pool_cases()) {
    Attributes attributes = window_attributes(c.stride, c.padding);
    attributes.set("window", std::vector<std::int64_t>{c.window.h, c.window.w});
    out.push_back({{c.x}, std::move(attributes)});
    out.back().check_gradient = c.small;
  }
  return out;
}

}  // namespace penstock::program
