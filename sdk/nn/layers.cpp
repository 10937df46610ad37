#include <cmath>

#include "penstock/indexing.h"
#include "penstock/nn.h"

namespace penstock::nn {
namespace {

/// torch's default for Linear and Conv2d, weights and biases alike.
/// Source: kaiming_uniform_ with a = sqrt(5), He et al., arXiv:1502.01852
program::Initializer fan_in_uniform(std::int64_t fan_in) {
  const double bound = fan_in > 0 ? 1.0 / std::sqrt(static_cast<double>(fan_in)) : 0.0;
  return init::uniform(-bound, bound);
}

Value declare(Program& net, Weights weights, const std::string& name, DType dtype, Shape shape,
              program::Initializer initializer) {
  if (weights == Weights::create) return net.variable(name, dtype, std::move(shape), initializer);
  Value known = net.variable(name);
  if (known.type() != TensorType{dtype, shape})
    throw Exception(invalid("layer: it would reuse " + known.text() + ", but needs " +
                            program::to_text(TensorType{dtype, std::move(shape)})));
  return known;
}

std::int64_t width_of(const Value& x, const char* layer) {
  const Shape shape = x.shape();
  if (!shape.empty() && !shape.back().dynamic) return shape.back().bound;
  throw Exception(invalid(std::string(layer) + " of " + x.text() + ": features last are needed"));
}

std::int64_t features(const Value& x, std::size_t rank, const char* layer) {
  const Shape shape = x.shape();
  if (shape.size() == rank && !shape.back().dynamic) return shape.back().bound;
  throw Exception(invalid(std::string(layer) + " of " + x.text() + ": rank " +
                          std::to_string(rank) + " with features last is needed"));
}

}  // namespace

Value linear(Program& net, const Value& x, std::int64_t out, LinearOptions options) {
  const std::int64_t in = width_of(x, "linear");
  const bool normal = options.deviation > 0;
  const auto start = normal ? init::normal(0, options.deviation) : fan_in_uniform(in);
  const Value weight =
      declare(net, options.weights, options.name + ".weight", x.dtype(), {in, out}, start);
  const Value product = matmul(x, weight);
  if (!options.bias) return product;
  return product + declare(net, options.weights, options.name + ".bias", x.dtype(), {out},
                           normal ? init::zeros() : start);
}

Value layer_norm(Program& net, const Value& x, NormOptions options) {
  const std::int64_t width = width_of(x, "layer_norm");
  const Value scale =
      declare(net, options.weights, options.name + ".scale", x.dtype(), {width}, init::constant(1));
  const Value bias =
      declare(net, options.weights, options.name + ".bias", x.dtype(), {width}, init::zeros());
  return penstock::layer_norm(x, scale, bias, options.epsilon);
}

Value rms_norm(Program& net, const Value& x, NormOptions options) {
  const std::int64_t width = width_of(x, "rms_norm");
  const Value scale =
      declare(net, options.weights, options.name + ".scale", x.dtype(), {width}, init::constant(1));
  return penstock::rms_norm(x, scale, options.epsilon);
}

Value embedding(Program& net, const Value& indices, std::int64_t count, std::int64_t width,
                EmbeddingOptions options, DType dtype) {
  const Value table = declare(net, options.weights, options.name, dtype, {count, width},
                              init::normal(0, options.deviation));
  return penstock::embedding(table, indices);
}

Value conv2d(Program& net, const Value& x, std::int64_t out, Conv2dLayerOptions options) {
  const std::int64_t in = features(x, 4, "conv2d");
  const Extent2d kernel = options.kernel;
  const auto start = fan_in_uniform(kernel.height * kernel.width * in);
  const Value filter = declare(net, options.weights, options.name + ".weight", x.dtype(),
                               {kernel.height, kernel.width, in, out}, start);
  const Value y =
      penstock::conv2d(x, filter, {.strides = options.strides, .padding = options.padding});
  if (!options.bias) return y;
  return y + declare(net, options.weights, options.name + ".bias", x.dtype(), {out}, start);
}

}  // namespace penstock::nn
