#pragma once

#include "schema/program/ops/axes.h"
#include "schema/program/ops/expression.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

/// What norms over the last dimension have in common: operand x [.., d], then parameters [d]; an
/// attribute epsilon. For backward they keep x alone: two sums along a row make the rest again.
template <class Op, int parameters>
struct NormOp {
  static constexpr int arity = 1 + parameters;

  static std::vector<AttributeSpec> attributes() {
    return {{"epsilon", AttributeKind::real, Attribute(1e-5)}};
  }

  static Result<Types> infer(OpInputs in) {
    const TensorType& x = in.types[0];
    PENSTOCK_TRY(check_elements(x, Elements::floats));
    if (x.shape.empty() || x.shape.back().dynamic)
      return invalid("takes x [.., d] with a fixed last dimension, got " + to_text(x));
    for (const TensorType& parameter : in.types.subspan(1))
      if (parameter != TensorType{x.dtype, {x.shape.back()}})
        return invalid("a parameter is " + to_text(parameter) + ", for " + to_text(x) +
                       " it must be " + to_text(TensorType{x.dtype, {x.shape.back()}}));
    if (!(in.attributes.real("epsilon") >= 0))
      return invalid("epsilon = " + std::to_string(in.attributes.real("epsilon")) +
                     "; it must not be negative");
    return Types{x};
  }

  static ShardingRule sharding(OpInputs in) {
    ShardingRule rule = last_dim_rule(in.types[0].shape);
    for (int i = 0; i < parameters; ++i) rule.operands.push_back({ShardingRule::kWhole});
    return rule;
  }

  static Cost cost(OpInputs in) { return pointwise_cost(in, in.types[0], 8); }

  static std::vector<Example> examples() {
    std::vector<Example> out;
    for (const Shape& shape : {Shape{1}, {0, 3}, {5}, {3, 5}, {batch(7), 3}, {2, 3, 7}, {65, 67}}) {
      Example example{{{DType::f64, shape}}, {{"epsilon", 1e-2}}};
      for (int i = 0; i < parameters; ++i) example.operands.push_back({DType::f64, {shape.back()}});
      example.check_gradient = element_count(shape) < 100;
      out.push_back(std::move(example));
    }
    return out;
  }

 protected:
  /// The mean along the last dimension, repeated along it.
  static Expr row_mean(Expr x) {
    const Shape shape = x.type().shape;
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    const Expr sum = x.apply("reduce_sum", {{"dims", std::vector<std::int64_t>{last}}});
    const Expr mean = sum * (1 / static_cast<double>(shape.back().bound));
    return {x.builder(), x.builder().broadcast(mean, shape, all_dims(shape.size() - 1))};
  }
  /// A parameter [d] repeated over the rows of x.
  static Expr over_rows(Expr parameter, Expr x) {
    const Shape shape = x.type().shape;
    const auto last = static_cast<std::int64_t>(shape.size()) - 1;
    return {x.builder(), x.builder().broadcast(parameter, shape, {last})};
  }
  /// The gradient of a parameter from that of its rows.
  static Expr over_all_rows(Expr rows) {
    const std::size_t rank = rows.type().shape.size();
    if (rank == 1) return rows;
    return rows.apply("reduce_sum", {{"dims", all_dims(rank - 1)}});
  }
};

}  // namespace penstock::program
