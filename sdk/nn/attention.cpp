#include <cmath>

#include "penstock/indexing.h"
#include "penstock/maths.h"
#include "penstock/transformer.h"

namespace penstock::nn {
namespace {

std::int64_t extent(const Value& x, std::size_t dim) {
  return x.shape()[dim].bound;
}

[[noreturn]] void refuse(const Value& q, const Value& k, const Value& v, const char* why) {
  throw Exception(
      invalid("attention of q " + q.text() + ", k " + k.text() + ", v " + v.text() + ": " + why));
}

void check(const Value& q, const Value& k, const Value& v, bool causal) {
  if (q.shape().size() != 4 || k.shape().size() != 4 || k.shape() != v.shape())
    refuse(q, k, v, "q [n,t,h,d] and k, v [n,s,g,d] are needed");
  if (q.shape()[0] != k.shape()[0] || extent(q, 3) != extent(k, 3))
    refuse(q, k, v, "they differ in batch or width");
  if (extent(k, 2) < 1 || extent(q, 2) % extent(k, 2) != 0)
    refuse(q, k, v, "the keys' heads do not divide the queries'");
  if (causal && extent(q, 1) != extent(k, 1))
    refuse(q, k, v, "causal, with another number of keys than of queries");
}

/// [n,s,g,d] -> [n,h,s,d], each of the g heads h / g times.
Value heads_first(const Value& x, std::int64_t heads) {
  const Shape shape = x.shape();
  const std::int64_t groups = shape[2].bound, times = heads / groups;
  const Value moved = transpose(x, {0, 2, 1, 3});
  if (times == 1) return moved;
  const Value apart = reshape(moved, {shape[0], groups, 1, shape[1], shape[3]});
  return reshape(broadcast_to(apart, {shape[0], groups, times, shape[1], shape[3]}),
                 {shape[0], heads, shape[1], shape[3]});
}

/// Scores [n,h,t,t] with those of later positions taken away.
Value without_later(const Value& scores) {
  const std::int64_t t = extent(scores, 3);
  const Value column = reshape(iota(scores, t), {1, t}), row = reshape(iota(scores, t), {t, 1});
  return select(greater(column, row), scalar_like(scores, -std::numeric_limits<double>::infinity()),
                scores);
}

}  // namespace

Value attention(const Value& q, const Value& k, const Value& v, AttentionOptions options) {
  check(q, k, v, options.causal);
  const std::int64_t heads = extent(q, 2);
  const double scale =
      options.scale > 0 ? options.scale : 1 / std::sqrt(static_cast<double>(extent(q, 3)));
  const Value queries = heads_first(q * scale, heads);
  Value scores = matmul(queries, heads_first(k, heads), {.transpose_rhs = true});
  if (options.causal) scores = without_later(scores);
  return transpose(matmul(softmax(scores), heads_first(v, heads)), {0, 2, 1, 3});
}

Value rotary(const Value& x, double base, RotaryPairs pairs) {
  const Shape shape = x.shape();
  if (shape.size() != 4 || shape[3].bound % 2 != 0)
    throw Exception(invalid("rotary of " + x.text() + ": [n,t,h,d] with an even d is needed"));
  const std::int64_t t = shape[1].bound, h = shape[2].bound, half = shape[3].bound / 2;
  // Angles are made in f64: far positions times small steps lose too much in f32.
  const Value steps = exp(iota(x, half, f64) * (-std::log(base) / static_cast<double>(half)));
  const Value angles = reshape(iota(x, t, f64), {t, 1}) * reshape(steps, {1, half});
  const bool neighbours = pairs == RotaryPairs::neighbours;
  const int across = neighbours ? 4 : 3;
  const Shape paired = neighbours ? Shape{shape[0], t, h, half, 2} : Shape{shape[0], t, h, 2, half};
  const Shape repeated = neighbours ? Shape{t, 1, half, 1} : Shape{t, 1, 1, half};
  const Value c = reshape(cast(cos(angles), x.dtype()), repeated);
  const Value s = reshape(cast(sin(angles), x.dtype()), repeated);
  const auto halves = split(reshape(x, paired), 2, across);
  const Value& a = halves[0];
  const Value& b = halves[1];
  return reshape(concat({a * c - b * s, a * s + b * c}, across), shape);
}

}  // namespace penstock::nn
