#pragma once

#include "schema/program/ops/argmax.h"
#include "schema/program/ops/expression.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

/// Index of the first minimum along dim; a NaN counts as smaller than everything, as in torch.
struct Argmin {
  static constexpr std::string_view name = "argmin";
  static constexpr std::string_view summary = "index of the first minimum along dim; i64";
  static constexpr int arity = 1;
  static constexpr bool differentiable = false;

  static std::vector<AttributeSpec> attributes() { return Argmax::attributes(); }
  static Result<Types> infer(OpInputs in) {
    PENSTOCK_TRY(check_elements(in.types[0], Elements::signed_numbers));
    return Argmax::infer(in);
  }
  static ShardingRule sharding(OpInputs in) { return Argmax::sharding(in); }
  static Cost cost(OpInputs in) { return Argmax::cost(in); }
  static std::vector<ValueId> expand(Builder& b, const OpNode& node) {
    const Expr x(b, node.inputs[0]);
    return {(-x).apply("argmax", {{"dim", node.attributes.integer("dim")}})};
  }
  static std::vector<Example> examples() {
    std::vector<Example> out;
    for (Example& example : Argmax::examples())
      if (example.operands[0].dtype != DType::u8) out.push_back(std::move(example));
    return out;
  }
};

}  // namespace penstock::program
