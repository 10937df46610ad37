#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "penstock/program.h"

namespace penstock {

// Every function checks types and shapes at once and throws an Exception that names the op, the
// value and both shapes. Where two operands differ in shape, the smaller is repeated by numpy's
// rules: shapes are aligned at the right, and an extent of 1 stretches.

Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value operator+(const Value& a, double b);
Value operator-(const Value& a, double b);
Value operator*(const Value& a, double b);
Value operator/(const Value& a, double b);
Value operator+(double a, const Value& b);
Value operator-(double a, const Value& b);
Value operator*(double a, const Value& b);
Value operator/(double a, const Value& b);
Value operator-(const Value& a);

Value maximum(const Value& a, const Value& b);
Value maximum(const Value& a, double b);
/// Results: bool
Value equal(const Value& a, const Value& b);
Value greater(const Value& a, const Value& b);
/// condition ? a : b, element by element.
Value select(const Value& condition, const Value& a, const Value& b);

Value exp(const Value& x);
Value log(const Value& x);
Value sqrt(const Value& x);
Value tanh(const Value& x);
Value sigmoid(const Value& x);
Value relu(const Value& x);

struct MatmulOptions {
  bool transpose_lhs = false;
  bool transpose_rhs = false;
};
/// Shapes: lhs [..,m,k], rhs [..,k,n] -> [..,m,n]; a transposed operand is [..,k,m] or [..,n,k].
/// Leading dimensions are repeated by numpy's rules; a rhs [k,n] is one matrix for all of them.
Value matmul(const Value& lhs, const Value& rhs, MatmulOptions options = {});

struct Extent2d {
  std::int64_t height = 1;
  std::int64_t width = 1;
  constexpr Extent2d(std::int64_t both) : height(both), width(both) {}
  constexpr Extent2d(std::int64_t h, std::int64_t w) : height(h), width(w) {}
};

struct Conv2dOptions {
  Extent2d strides = 1;
  Extent2d padding = 0;  // on both sides
};
/// Shapes: x [n,h,w,c], filter [kh,kw,c,o] -> [n,oh,ow,o]
Value conv2d(const Value& x, const Value& filter, Conv2dOptions options = {});

struct PoolOptions {
  Extent2d window = 2;
  std::optional<Extent2d> strides = {};  // the window, unless given
  Extent2d padding = 0;
};
/// Shapes: x [n,h,w,c] -> [n,oh,ow,c]
Value max_pool2d(const Value& x, PoolOptions options = {});
Value avg_pool2d(const Value& x, PoolOptions options = {});

/// Over the last dimension.
Value softmax(const Value& x);
Value log_softmax(const Value& x);

/// Along the last dimension. Shapes: x [..,d], scale and bias [d] -> [..,d]
/// Sources: arXiv:1607.06450, arXiv:1910.07467
Value layer_norm(const Value& x, const Value& scale, const Value& bias, double epsilon = 1e-5);
Value rms_norm(const Value& x, const Value& scale, double epsilon = 1e-5);

using Dims = std::vector<int>;  // from 0; -1 is the last

/// Over `dims`, which disappear; over all of them where none are given. A mean over the batch
/// counts the rows that the call really has.
Value mean(const Value& x, Dims dims = {});
Value sum(const Value& x, Dims dims = {});
Value max(const Value& x, Dims dims = {});
/// Index of the first maximum along `dim`; i64.
Value argmax(const Value& x, int dim = -1);

enum class Reduction { mean, sum, none };
struct LossOptions {
  Reduction reduction = Reduction::mean;
};
/// Negative log-likelihood of the labels under the softmax of the logits.
/// Shapes: logits [..,k], labels [..] (i32 or i64) -> [], or [..] without reduction
Value cross_entropy(const Value& logits, const Value& labels, LossOptions options = {});
/// Share of rows whose largest logit is the label's. Shape: -> []
Value accuracy(const Value& logits, const Value& labels);

/// labels [..] -> [.., depth]
Value one_hot(const Value& labels, std::int64_t depth, DType dtype = DType::f32);
/// x [..,k], labels [..] -> [..]: the element at each label
Value pick(const Value& x, const Value& labels);

Value cast(const Value& x, DType dtype);
/// Same elements in the same order. A batch dimension must stay first.
Value reshape(const Value& x, Shape shape);
/// [n, a, b, ..] -> [n, a*b*..]
Value flatten(const Value& x);
/// Result dimension i is operand dimension permutation[i]; without one, all in reverse.
Value transpose(const Value& x, Dims permutation = {});
/// By numpy's rules.
Value broadcast_to(const Value& x, Shape shape);
/// A scalar of x's element type, in x's entry.
Value scalar_like(const Value& x, double value);

}  // namespace penstock
