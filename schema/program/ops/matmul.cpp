#include "schema/program/ops/matmul.h"

#include "schema/program/builder.h"

namespace penstock::program {
namespace {

struct Sides {
  Dim m, k_lhs, k_rhs, n;
};

/// The last two dimensions are a matrix's; `transposed` ones come the other way round.
Dim row(const Shape& shape, bool transposed) {
  return shape[shape.size() - (transposed ? 1 : 2)];
}
Dim column(const Shape& shape, bool transposed) {
  return shape[shape.size() - (transposed ? 2 : 1)];
}

Sides sides(OpInputs in) {
  const Shape& lhs = in.types[0].shape;
  const Shape& rhs = in.types[1].shape;
  const bool tl = in.attributes.boolean("transpose_lhs");
  const bool tr = in.attributes.boolean("transpose_rhs");
  return {row(lhs, tl), column(lhs, tl), row(rhs, tr), column(rhs, tr)};
}

Attributes transposes(bool lhs, bool rhs) {
  return {{"transpose_lhs", lhs}, {"transpose_rhs", rhs}};
}

Shape leading(const Shape& shape) {
  return {shape.begin(), shape.end() - 2};
}

/// One matrix for all leading dimensions of the other.
bool shares_rhs(OpInputs in) {
  return in.types[0].shape.size() > 2 && in.types[1].shape.size() == 2;
}

}  // namespace

std::vector<AttributeSpec> Matmul::attributes() {
  return {{"transpose_lhs", AttributeKind::boolean, false},
          {"transpose_rhs", AttributeKind::boolean, false}};
}

Result<Types> Matmul::infer(OpInputs in) {
  const TensorType& lhs = in.types[0];
  const TensorType& rhs = in.types[1];
  if (lhs.shape.size() < 2 || rhs.shape.size() < 2)
    return invalid("operands must be matrices: lhs " + to_text(lhs) + ", rhs " + to_text(rhs));
  if (lhs.dtype != rhs.dtype || !is_float(lhs.dtype) || !has_kernels(lhs.dtype))
    return invalid("operands must have one floating-point type: lhs " + to_text(lhs) + ", rhs " +
                   to_text(rhs));
  if (shares_rhs(in) && in.attributes.boolean("transpose_lhs"))
    return invalid("a transposed lhs " + to_text(lhs.shape) + " takes one rhs for each of its " +
                   "matrices, got " + to_text(rhs.shape));
  if (!shares_rhs(in) && leading(lhs.shape) != leading(rhs.shape))
    return invalid("leading dimensions differ: lhs " + to_text(lhs.shape) + ", rhs " +
                   to_text(rhs.shape) + "; broadcast the smaller one");
  const Sides s = sides(in);
  if (s.k_lhs != s.k_rhs)
    return invalid("inner sizes differ: lhs " + to_text(lhs.shape) + ", rhs " + to_text(rhs.shape));
  TensorType out{lhs.dtype, leading(lhs.shape)};
  out.shape.push_back(s.m);
  out.shape.push_back(s.n);
  PENSTOCK_TRY(check_shape(out.shape, {}));
  return Types{out};
}

ShardingRule Matmul::sharding(OpInputs in) {
  std::string batch;
  for (std::size_t i = 2; i < in.types[0].shape.size(); ++i) batch += "b" + std::to_string(i) + " ";
  const std::string lhs = in.attributes.boolean("transpose_lhs") ? "k m" : "m k";
  const std::string rhs = in.attributes.boolean("transpose_rhs") ? "n k" : "k n";
  return ShardingRule::parse(
      batch + lhs + ", " + (shares_rhs(in) ? "" : batch) + rhs + " -> " + batch + "m n",
      Linearity::in_each);
}

Cost Matmul::cost(OpInputs in) {
  const Sides s = sides(in);
  const double batch = static_cast<double>(element_count(leading(in.types[0].shape)));
  const double m = static_cast<double>(s.m.bound), k = static_cast<double>(s.k_lhs.bound),
               n = static_cast<double>(s.n.bound);
  const double size = static_cast<double>(size_of(in.types[0].dtype));
  const double matrices = shares_rhs(in) ? 1 : batch;
  return {2 * batch * m * k * n, size * (batch * (m * k + m * n) + matrices * k * n)};
}

std::vector<ValueId> Matmul::gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  const ValueId lhs = node.inputs[0], rhs = node.inputs[1];
  const bool tl = node.attributes.boolean("transpose_lhs");
  const bool tr = node.attributes.boolean("transpose_rhs");
  if (b.type(lhs).shape.size() > b.type(rhs).shape.size())
    return {b.apply("matmul", {g[0], rhs}, transposes(false, !tr)),
            tr ? b.apply("matmul_weight_gradient", {g[0], lhs})
               : b.apply("matmul_weight_gradient", {lhs, g[0]})};
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
  const auto add = [&](Shape lhs, Shape rhs, bool tl, bool tr) {
    const bool small = element_count(lhs) < 200;
    out.push_back(
        {{{DType::f64, std::move(lhs)}, {DType::f64, std::move(rhs)}}, transposes(tl, tr)});
    out.back().check_gradient = small;
  };
  for (const bool tl : {false, true})
    for (const bool tr : {false, true})
      add(tl ? Shape{2, 5, 3} : Shape{2, 3, 5}, tr ? Shape{2, 4, 5} : Shape{2, 5, 4}, tl, tr);
  add({2, 3, 4, 5}, {2, 3, 5, 2}, false, false);
  add({batch(3), 2, 4}, {batch(3), 4, 2}, false, false);
  add({0, 3, 5}, {0, 5, 2}, false, false);
  add({2, 3, 5}, {5, 4}, false, false);  // one matrix for all
  add({2, 3, 5}, {4, 5}, false, true);
  add({batch(3), 2, 4}, {4, 3}, false, false);
  add({2, 3, 2, 5}, {5, 4}, false, false);
  out[7].check_gradient = false;  // 17,000 finite differences would say nothing new
  return out;
}

}  // namespace penstock::program
