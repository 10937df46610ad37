#include "penstock/ops.h"

#include "sdk/src/apply.h"
#include "sdk/src/broadcast.h"
#include "sdk/src/graph.h"

namespace penstock {
namespace {

using detail::aligned;
using detail::binary;
using detail::dim_of;
using detail::Integers;
using detail::reduce;
using detail::unary;

Integers pair_of(Extent2d extent) {
  return {extent.height, extent.width};
}
Integers sides_of(Extent2d padding) {
  return {padding.height, padding.height, padding.width, padding.width};
}

Value pool(std::string_view op, const Value& x, const PoolOptions& options) {
  return unary(op, x,
               {{"window", pair_of(options.window)},
                {"strides", pair_of(options.strides.value_or(options.window))},
                {"padding", sides_of(options.padding)}});
}

}  // namespace

Value operator+(const Value& a, const Value& b) {
  return aligned("add", a, b);
}
Value operator-(const Value& a, const Value& b) {
  return aligned("subtract", a, b);
}
Value operator*(const Value& a, const Value& b) {
  return aligned("multiply", a, b);
}
Value operator/(const Value& a, const Value& b) {
  return aligned("divide", a, b);
}
Value operator+(const Value& a, double b) {
  return a + scalar_like(a, b);
}
Value operator-(const Value& a, double b) {
  return a - scalar_like(a, b);
}
Value operator*(const Value& a, double b) {
  return a * scalar_like(a, b);
}
Value operator/(const Value& a, double b) {
  return a / scalar_like(a, b);
}
Value operator+(double a, const Value& b) {
  return scalar_like(b, a) + b;
}
Value operator-(double a, const Value& b) {
  return scalar_like(b, a) - b;
}
Value operator*(double a, const Value& b) {
  return scalar_like(b, a) * b;
}
Value operator/(double a, const Value& b) {
  return scalar_like(b, a) / b;
}
Value operator-(const Value& a) {
  return unary("negate", a);
}

Value maximum(const Value& a, const Value& b) {
  return aligned("maximum", a, b);
}
Value maximum(const Value& a, double b) {
  return maximum(a, scalar_like(a, b));
}
Value equal(const Value& a, const Value& b) {
  return aligned("equal", a, b);
}
Value greater(const Value& a, const Value& b) {
  return aligned("greater", a, b);
}

Value select(const Value& condition, const Value& a, const Value& b) {
  const Shape branches = value_or_throw(detail::broadcast_shape("select", a.shape(), b.shape()));
  const Shape all = value_or_throw(detail::broadcast_shape("select", condition.shape(), branches));
  using detail::GraphAccess;
  Value operands[] = {condition, a, b};
  for (Value& operand : operands)
    for (const Value& where : {condition, a, b}) operand = GraphAccess::bind(operand, where);
  for (Value& operand : operands) operand = detail::broadcast_value("select", operand, all);
  return detail::apply("select", operands);
}

Value exp(const Value& x) {
  return unary("exp", x);
}
Value log(const Value& x) {
  return unary("log", x);
}
Value sqrt(const Value& x) {
  return unary("sqrt", x);
}
Value tanh(const Value& x) {
  return unary("tanh", x);
}
Value sigmoid(const Value& x) {
  return unary("sigmoid", x);
}
Value relu(const Value& x) {
  return unary("relu", x);
}

Value matmul(const Value& a, const Value& b, MatmulOptions options) {
  const auto [lhs, rhs] = detail::align_matrices(a, b);
  return binary(
      "matmul", lhs, rhs,
      {{"transpose_lhs", options.transpose_lhs}, {"transpose_rhs", options.transpose_rhs}});
}

Value conv2d(const Value& x, const Value& filter, Conv2dOptions options) {
  return binary("conv2d", x, filter,
                {{"strides", pair_of(options.strides)}, {"padding", sides_of(options.padding)}});
}

Value max_pool2d(const Value& x, PoolOptions options) {
  return pool("max_pool2d", x, options);
}
Value avg_pool2d(const Value& x, PoolOptions options) {
  return pool("avg_pool2d", x, options);
}

Value softmax(const Value& x) {
  return unary("softmax", x);
}
Value log_softmax(const Value& x) {
  return unary("log_softmax", x);
}

Value layer_norm(const Value& x, const Value& scale, const Value& bias, double epsilon) {
  const Value operands[] = {x, scale, bias};
  return detail::apply("layer_norm", operands, {{"epsilon", epsilon}});
}
Value rms_norm(const Value& x, const Value& scale, double epsilon) {
  return binary("rms_norm", x, scale, {{"epsilon", epsilon}});
}

Value mean(const Value& x, Dims dims) {
  return reduce("mean", x, dims);
}
Value sum(const Value& x, Dims dims) {
  return reduce("reduce_sum", x, dims);
}
Value max(const Value& x, Dims dims) {
  return reduce("reduce_max", x, dims);
}
Value argmax(const Value& x, int dim) {
  return unary("argmax", x, {{"dim", dim_of("argmax", x, dim)}});
}

Value cross_entropy(const Value& logits, const Value& labels, LossOptions options) {
  const Value rows = binary("cross_entropy", logits, labels);
  switch (options.reduction) {
    case Reduction::mean:
      return mean(rows);
    case Reduction::sum:
      return sum(rows);
    case Reduction::none:
      break;
  }
  return rows;
}

Value accuracy(const Value& logits, const Value& labels) {
  const Value guess = argmax(logits);
  const Value truth = labels.dtype() == i64 ? labels : cast(labels, i64);
  return mean(cast(equal(guess, truth), logits.dtype()));
}

Value one_hot(const Value& labels, std::int64_t depth, DType dtype) {
  return unary("one_hot", labels, {{"depth", depth}, {"dtype", dtype}});
}

Value pick(const Value& x, const Value& labels) {
  return binary("pick", x, labels);
}

Value cast(const Value& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return unary("cast", x, {{"dtype", dtype}});
}

Value reshape(const Value& x, Shape shape) {
  return unary("reshape", x, {{"shape", program::bounds(shape)}});
}

Value flatten(const Value& x) {
  const Shape shape = x.shape();
  if (shape.size() < 2)
    throw Exception(
        invalid("flatten of " + x.text() + ": there are no dimensions after the first"));
  if (shape.size() == 2) return x;
  return reshape(x, {shape[0], program::element_count(Shape(shape.begin() + 1, shape.end()))});
}

Value transpose(const Value& x, Dims permutation) {
  const auto rank = static_cast<std::int64_t>(x.shape().size());
  Integers order;
  if (permutation.empty())
    for (std::int64_t i = rank; i-- > 0;) order.push_back(i);
  else
    for (const int dim : permutation) order.push_back(dim_of("transpose", x, dim));
  return unary("transpose", x, {{"permutation", std::move(order)}});
}

Value broadcast_to(const Value& x, Shape shape) {
  return detail::broadcast_value("broadcast_to", x, shape);
}

Value scalar_like(const Value& x, double value) {
  return detail::apply_in(x, "constant", {{"value", value}, {"dtype", x.dtype()}});
}

}  // namespace penstock
