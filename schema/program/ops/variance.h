#pragma once

#include <limits>

#include "schema/program/ops/reduce_op.h"

namespace penstock::program {

/// Mean squared distance from the mean along dims, times n / (n - correction): 1 for a sample's
/// unbiased estimate, 0 for that of the whole. Not over the batch, whose rows lie on many devices:
/// the SDK's `variance` composes that of means.
struct Variance : ReduceOp<Variance> {
  static constexpr std::string_view name = "variance";
  static constexpr std::string_view summary = "variance over dims, which disappear";
  static constexpr double flop = 4;
  static constexpr bool of_none = false;

  static std::vector<AttributeSpec> attributes() {
    return {{"dims", AttributeKind::integers},
            {"correction", AttributeKind::integer, Attribute(std::int64_t{1})}};
  }
  static Result<Types> infer(OpInputs in) {
    PENSTOCK_ASSIGN(Types types, ReduceOp<Variance>::infer(in));
    for (const std::int64_t dim : dims_of(in))
      if (in.types[0].shape[static_cast<std::size_t>(dim)].dynamic)
        return invalid("dimension " + std::to_string(dim) + " of " + to_text(in.types[0]) +
                       " is the batch; take the mean of squared distances from the mean");
    const std::int64_t correction = in.attributes.integer("correction");
    if (correction < 0 || correction > 1)
      return invalid("correction = " + std::to_string(correction) + "; it is 0 or 1");
    return types;
  }
  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    const Expr sum = square(centred(x, dims)).apply("reduce_sum", {{"dims", dims}});
    return {sum * (1 / degrees(x.type(), node.attributes))};
  }
  static std::vector<ValueId> gradient(Builder& b, const OpNode& node, std::span<const ValueId> g) {
    const Expr x(b, node.inputs[0]), dy(b, g[0]);
    const std::vector<std::int64_t> dims = node.attributes.integers("dims");
    return {spread(dy * (2 / degrees(x.type(), node.attributes)), x, dims) * centred(x, dims)};
  }
  static std::vector<Example> examples() {
    std::vector<Example> out;
    for (const Example& example : ReduceOp<Variance>::examples())
      for (const std::int64_t correction : {0, 1}) {
        if (example.operands[0].shape == Shape{1} && correction == 1) continue;  // 0 / 0
        out.push_back(example);
        out.back().attributes.set("correction", correction);
      }
    return out;
  }

 private:
  static double count(const TensorType& type, const std::vector<std::int64_t>& dims) {
    double out = 1;
    for (const std::int64_t dim : dims)
      out *= static_cast<double>(type.shape[static_cast<std::size_t>(dim)].bound);
    return out;
  }
  static Expr centred(Expr x, const std::vector<std::int64_t>& dims) {
    const Expr mean = x.apply("reduce_sum", {{"dims", dims}}) * (1 / count(x.type(), dims));
    return x - spread(mean, x, dims);
  }
  static double degrees(const TensorType& type, const Attributes& attributes) {
    const double n = count(type, attributes.integers("dims"));
    const auto correction = static_cast<double>(attributes.integer("correction"));
    return n > correction ? n - correction : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace penstock::program
