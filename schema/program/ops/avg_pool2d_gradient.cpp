#include "schema/program/ops/avg_pool2d_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/avg_pool2d.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> AvgPool2dGradient::attributes() {
  return {{"window", AttributeKind::integers},
          {"input", AttributeKind::integers},
          strides_spec(),
          padding_spec()};
}

Result<Types> AvgPool2dGradient::infer(OpInputs in) {
  const TensorType& g = in.types[0];
  PENSTOCK_TRY(check_images(g, "g"));
  PENSTOCK_ASSIGN(const Plane input, read_plane(in.attributes, "input", 1));
  PENSTOCK_ASSIGN(const Plane window, read_plane(in.attributes, "window", 1));
  PENSTOCK_ASSIGN(const Windows windows, read_windows(in.attributes, window));
  PENSTOCK_ASSIGN(const Plane out, window_count(windows, input));
  PENSTOCK_TRY(check_plane(g, out));
  return Types{{g.dtype, {g.shape[0], input.h, input.w, g.shape[3]}}};
}

ShardingRule AvgPool2dGradient::sharding(OpInputs) {
  return ShardingRule::parse("n . . c -> n . . c", Linearity::in_each);
}

Cost AvgPool2dGradient::cost(OpInputs in) {
  const Result<Types> result = infer(in);
  if (!result.ok()) return {};
  const std::vector<std::int64_t>& window = in.attributes.integers("window");
  return {static_cast<double>(window[0] * window[1]) *
              static_cast<double>(element_count(in.types[0].shape)),
          traffic(in.types, *result)};
}

std::vector<ValueId> AvgPool2dGradient::gradient(Builder& b, const OpNode& node,
                                                 std::span<const ValueId> g) {
  Attributes forward;
  for (const auto& item : node.attributes.items())
    if (item.first != "input") forward.set(item.first, item.second);
  return {b.apply("avg_pool2d", {g[0]}, std::move(forward))};
}

std::vector<Example> AvgPool2dGradient::examples() {
  std::vector<Example> out = AvgPool2d::examples();
  for (Example& example : out) {
    const Shape x = example.operands[0].shape;
    example.operands = AvgPool2d::infer({example.operands, example.attributes}).value();
    example.attributes.set("input", std::vector<std::int64_t>{x[1].bound, x[2].bound});
  }
  return out;
}

}  // namespace penstock::program
