#include "penstock/nn.h"

namespace penstock::nn {

Value mlp(Program& net, const Value& x, const std::vector<std::int64_t>& widths,
          ModelOptions options) {
  if (widths.empty()) throw Exception(invalid("mlp: no layer widths are given"));
  Value y = x.shape().size() > 2 ? flatten(x) : x;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) y = relu(y);
    y = linear(net, y, widths[i],
               {.name = options.prefix + "fc" + std::to_string(i + 1), .weights = options.weights});
  }
  return y;
}

namespace {

/// [n, side*side] becomes [n, side, side, 1]; images with channels stay.
Value as_image(const Value& x) {
  const Shape shape = x.shape();
  if (shape.size() == 4) return x;
  std::int64_t side = 1;
  if (shape.size() == 2)
    while (side * side < shape[1].bound) ++side;
  if (shape.size() != 2 || side * side != shape[1].bound)
    throw Exception(invalid("convnet of " + x.text() +
                            ": images [n,h,w,c], or square ones as [n, side*side], are needed"));
  return reshape(x, {shape[0], side, side, 1});
}

}  // namespace

Value convnet(Program& net, const Value& x, ConvNetOptions options) {
  const std::string& prefix = options.prefix;
  const auto convolve = [&](const Value& from, std::int64_t channels, const char* name) {
    const Value y =
        conv2d(net, from, channels,
               {.name = prefix + name, .kernel = 3, .padding = 1, .weights = options.weights});
    return max_pool2d(relu(y), {.window = 2});
  };
  const Value images = as_image(x);
  const Value features = flatten(convolve(convolve(images, 32, "conv1"), 64, "conv2"));
  const Value hidden =
      relu(linear(net, features, 128, {.name = prefix + "fc1", .weights = options.weights}));
  return linear(net, hidden, options.classes, {.name = prefix + "fc2", .weights = options.weights});
}

}  // namespace penstock::nn
