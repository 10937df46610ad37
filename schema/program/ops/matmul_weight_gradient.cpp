#include "schema/program/ops/matmul_weight_gradient.h"

#include "schema/program/builder.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> MatmulWeightGradient::attributes() {
  return {};
}

Result<Types> MatmulWeightGradient::infer(OpInputs in) {
  const TensorType &x = in.types[0], &g = in.types[1];
  PENSTOCK_TRY(check_elements(x, Elements::floats));
  const bool alike =
      x.dtype == g.dtype && x.shape.size() == g.shape.size() && x.shape.size() >= 2 &&
      Shape(x.shape.begin(), x.shape.end() - 1) == Shape(g.shape.begin(), g.shape.end() - 1);
  if (!alike)
    return invalid("takes x [..,k] and g [..,n] of one type and equal leading dimensions, got " +
                   to_text(x) + " and " + to_text(g));
  return Types{{x.dtype, {x.shape.back(), g.shape.back()}}};
}

ShardingRule MatmulWeightGradient::sharding(OpInputs in) {
  std::string rows;
  for (std::size_t i = 1; i < in.types[0].shape.size(); ++i) rows += "r" + std::to_string(i) + " ";
  return ShardingRule::parse(rows + "k, " + rows + "n -> k n", Linearity::in_each);
}

Cost MatmulWeightGradient::cost(OpInputs in) {
  const Types results = infer(in).value();
  const double n = static_cast<double>(in.types[1].shape.back().bound);
  return {2 * static_cast<double>(element_count(in.types[0].shape)) * n,
          traffic(in.types, results)};
}

std::vector<ValueId> MatmulWeightGradient::gradient(Builder& b, const OpNode& node,
                                                    std::span<const ValueId> g) {
  return {b.apply("matmul", {node.inputs[1], g[0]}, {{"transpose_rhs", true}}),
          b.apply("matmul", {node.inputs[0], g[0]})};
}

std::vector<Example> MatmulWeightGradient::examples() {
  std::vector<Example> out;
  const auto add = [&](const Shape& rows, std::int64_t k, std::int64_t n) {
    Shape x = rows, g = rows;
    x.push_back(k);
    g.push_back(n);
    out.push_back({{{DType::f64, x}, {DType::f64, g}}, {}});
    out.back().check_gradient = element_count(x) < 200;
  };
  add({1}, 1, 1);
  add({0, 3}, 2, 4);
  add({5}, 3, 4);
  add({2, 3}, 5, 4);
  add({batch(7), 3}, 2, 5);
  add({65, 3}, 67, 5);
  return out;
}

}  // namespace penstock::program
