#include "schema/program/ops/max_pool2d.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> MaxPool2d::attributes() {
  return {{"window", AttributeKind::integers}, strides_spec(), padding_spec()};
}

Result<Types> MaxPool2d::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_TRY(check_images(x, "x"));
  PENSTOCK_ASSIGN(const Plane window, read_plane(in.attributes, "window", 1));
  PENSTOCK_ASSIGN(const Windows windows, read_windows(in.attributes, window));
  PENSTOCK_ASSIGN(const Plane out, window_count(windows, plane_of(x.shape)));
  return Types{{x.dtype, {x.shape[0], out.h, out.w, x.shape[3]}}};
}

ShardingRule MaxPool2d::sharding(OpInputs) {
  return ShardingRule::parse("n . . c -> n . . c");
}

Cost MaxPool2d::cost(OpInputs in) {
  const Result<Types> result = infer(in);
  if (!result.ok()) return {};
  const std::vector<std::int64_t>& window = in.attributes.integers("window");
  return {static_cast<double>(window[0] * window[1]) *
              static_cast<double>(element_count((*result)[0].shape)),
          traffic(in.types, *result)};
}

std::vector<ValueId> MaxPool2d::gradient(Builder& b, const OpNode& node,
                                         std::span<const ValueId> g) {
  return {b.apply("max_pool2d_gradient", {node.inputs[0], g[0]}, node.attributes)};
}

std::vector<Example> MaxPool2d::examples() {
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
