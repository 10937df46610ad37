#include "schema/program/ops/matmul.h"

#include "schema/program/builder.h"

namespace penstock::program {
namespace {

struct Sides {
  Dim m, k_lhs, k_rhs, n;
};

Sides sides(OpInputs in) {
  const Shape& lhs = in.types[0].shape;
  const Shape& rhs = in.types[1].shape;
  const bool tl = in.attributes.boolean("transpose_lhs");
  const bool tr = in.attributes.boolean("transpose_rhs");
  return {lhs[tl ? 1 : 0], lhs[tl ? 0 : 1], rhs[tr ? 1 : 0], rhs[tr ? 0 : 1]};
}

Attributes transposes(bool lhs, bool rhs) {
  return {{"transpose_lhs", lhs}, {"transpose_rhs", rhs}};
}

}  // namespace

std::vector<AttributeSpec> Matmul::attributes() {
  return {{"transpose_lhs", AttributeKind::boolean, false},
          {"transpose_rhs", AttributeKind::boolean, false}};
}

Result<Types> Matmul::infer(OpInputs in) {
  const TensorType& lhs = in.types[0];
  const TensorType& rhs = in.types[1];
  if (lhs.shape.size() != 2 || rhs.shape.size() != 2)
    return invalid("operands must be matrices: lhs " + to_text(lhs) + ", rhs " + to_text(rhs));
  if (lhs.dtype != rhs.dtype || !is_float(lhs.dtype))
    return invalid("operands must have one floating-point type: lhs " + to_text(lhs) + ", rhs " +
                   to_text(rhs));
  const Sides s = sides(in);
  if (s.k_lhs != s.k_rhs)
    return invalid("inner sizes differ: lhs " + to_text(lhs.shape) + ", rhs " + to_text(rhs.shape));
  return Types{{lhs.dtype, {s.m, s.n}}};
}

ShardingRule Matmul::sharding(OpInputs in) {
  const std::string lhs = in.attributes.boolean("transpose_lhs") ? "k m" : "m k";
  const std::string rhs = in.attributes.boolean("transpose_rhs") ? "n k" : "k n";
  return ShardingRule::parse(lhs + ", " + rhs + " -> m n", Linearity::in_each);
}

Cost Matmul::cost(OpInputs in) {
  const Sides s = sides(in);
  const double m = static_cast<double>(s.m.bound), k = static_cast<double>(s.k_lhs.bound),
               n = static_cast<double>(s.n.bound);
  const double size = static_cast<double>(size_of(in.types[0].dtype));
  return {2 * m * k * n, size * (m * k + k * n + m * n)};
}

std::vector<ValueId> Matmul::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId lhs = node.inputs[0], rhs = node.inputs[1];
  const bool tl = node.attributes.boolean("transpose_lhs");
  const bool tr = node.attributes.boolean("transpose_rhs");
  // d op(lhs) = g * op(rhs)^T and d op(rhs) = op(lhs)^T * g, each transposed back where op was one.
  const ValueId d_lhs = tl ? b.apply("matmul", {rhs, g[0]}, transposes(tr, true))
                           : b.apply("matmul", {g[0], rhs}, transposes(false, !tr));
  const ValueId d_rhs = tr ? b.apply("matmul", {g[0], lhs}, transposes(true, tl))
                           : b.apply("matmul", {lhs, g[0]}, transposes(!tl, false));
  return {d_lhs, d_rhs};
}

std::vector<Example> Matmul::examples() {
  const auto f64 = [](std::int64_t r, std::int64_t c) { return TensorType{DType::f64, {r, c}}; };
  std::vector<Example> out = {
      {{f64(3, 5), f64(5, 2)}, transposes(false, false)},
      {{f64(5, 3), f64(5, 2)}, transposes(true, false)},
      {{f64(3, 5), f64(2, 5)}, transposes(false, true)},
      {{f64(5, 3), f64(2, 5)}, transposes(true, true)},
      {{f64(1, 1), f64(1, 1)}, transposes(false, false)},
      {{f64(0, 5), f64(5, 2)}, transposes(false, false)},
      {{f64(3, 0), f64(0, 2)}, transposes(false, false)},
      {{f64(65, 129), f64(129, 67)}, transposes(false, false)},
      {{{DType::f64, {batch(7), 3}}, f64(3, 2)}, transposes(false, false)},
      {{{DType::f64, {batch(7), 3}}, {DType::f64, {batch(7), 2}}}, transposes(true, false)},
  };
  out[7].check_gradient = false;  // 17,000 finite differences would say nothing new
  return out;
}

}  // namespace penstock::program
