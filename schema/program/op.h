#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/program/attributes.h"
#include "schema/program/kernel.h"
#include "schema/program/program.h"
#include "schema/program/sharding_rule.h"
#include "schema/program/types.h"

namespace penstock::program {

class Builder;

/// What an op knows when it is applied: the types of its operands and its attributes.
struct OpInputs {
  std::span<const TensorType> types;
  const Attributes& attributes;
};

/// What a gradient or an expansion knows: the node's operands and results as values of the builder.
/// The attributes must not lie in the entry that the builder appends to: copy the node first.
struct OpNode {
  std::span<const ValueId> inputs;
  std::span<const ValueId> outputs;
  const Attributes& attributes;
};

/// Arithmetic and traffic of one application, on the given (per-device) shapes.
struct Cost {
  double flop = 0;
  double bytes = 0;  // read plus written
};

/// One way to exercise an op in the conformance tests: operand types, attributes, and the range of
/// the random operands. An integer operand is drawn from [integer_from, integer_below). Operands
/// with a dynamic dimension are tried at their bound and below it.
struct Example {
  std::vector<TensorType> operands;
  Attributes attributes;
  double low = -2, high = 2;
  std::int64_t integer_below = 4;
  bool check_gradient = true;
  std::int64_t integer_from = 0;
};

using Types = std::vector<TensorType>;

/// The arity of an op that takes one operand or more, up to Limits::inputs_per_node.
inline constexpr int kVariadic = -1;

/// An op is one struct in one file of schema/program/ops/, and its name in op_list.h. A missing
/// part is a compile error. Beside what the concept names, an op has
///  - `static constexpr Kernel kernel` if backends compute it, or
///    `static std::vector<ValueId> expand(Builder&, const OpNode&)` if it is a *region*, made of
///    other ops: it stays whole until emit, where a backend claims it or has it inlined;
///  - `static std::vector<ValueId> gradient(Builder&, const OpNode&, std::span<const ValueId> g)`,
///    one value per operand (a null one where there is none), or
///    `static constexpr bool differentiable = false`. A null g[i] is a zero gradient;
///  - if its attributes name sizes of its operands or results,
///    `static Attributes resize(OpInputs whole, std::span<const TensorType> operands,
///    std::span<const TensorType> results)`: the attributes of the same application on parts.
template <class Op>
concept OpDefinition = requires(OpInputs in) {
  { Op::name } -> std::convertible_to<std::string_view>;
  { Op::summary } -> std::convertible_to<std::string_view>;  // one line for the documentation
  { Op::arity } -> std::convertible_to<int>;                 // or kVariadic
  { Op::attributes() } -> std::same_as<std::vector<AttributeSpec>>;
  { Op::infer(in) } -> std::same_as<Result<Types>>;
  { Op::sharding(in) } -> std::same_as<ShardingRule>;
  { Op::cost(in) } -> std::same_as<Cost>;
  { Op::examples() } -> std::same_as<std::vector<Example>>;
};

template <class Op>
concept HasKernel = requires {
  { Op::kernel } -> std::convertible_to<Kernel>;
};

template <class Op>
concept IsRegion = requires(Builder& b, const OpNode& node) {
  { Op::expand(b, node) } -> std::same_as<std::vector<ValueId>>;
};

template <class Op>
concept HasGradient = requires(Builder& b, const OpNode& node, std::span<const ValueId> g) {
  { Op::gradient(b, node, g) } -> std::same_as<std::vector<ValueId>>;
};

template <class Op>
concept SaysNoGradient = requires {
  requires !Op::differentiable;
};

template <class Op>
concept HasResize = requires(OpInputs whole, std::span<const TensorType> types) {
  { Op::resize(whole, types, types) } -> std::same_as<Attributes>;
};

template <class Op>
concept WholeOp = OpDefinition<Op> &&
    (HasKernel<Op> != IsRegion<Op>)&&(HasGradient<Op> != SaysNoGradient<Op>);

/// The type-erased row that the op list makes of each op.
struct OpRow {
  std::string_view name;
  std::string_view summary;
  int arity = 0;
  std::vector<AttributeSpec> attributes;
  Result<Types> (*infer)(OpInputs) = nullptr;
  ShardingRule (*sharding)(OpInputs) = nullptr;
  Cost (*cost)(OpInputs) = nullptr;
  std::vector<Example> (*examples)() = nullptr;
  std::optional<Kernel> kernel;  // or a region:
  std::vector<ValueId> (*expand)(Builder&, const OpNode&) = nullptr;
  std::vector<ValueId> (*gradient)(Builder&, const OpNode&, std::span<const ValueId>) = nullptr;
  Attributes (*resize)(OpInputs whole, std::span<const TensorType> operands,
                       std::span<const TensorType> results) = nullptr;

  bool is_region() const { return expand != nullptr; }
  bool differentiable() const { return gradient != nullptr; }
};

/// Every op, in list order; OpIndex counts in it.
std::span<const OpRow> op_table();
const OpRow& op_row(OpIndex op);
std::optional<OpIndex> find_op(std::string_view name);

/// The attributes that a node has on one device: those of `whole`, with the sizes of the parts that
/// the device holds. Attributes that name no size stay as they are.
Attributes local_attributes(const OpRow& row, OpInputs whole,
                            std::span<const TensorType> local_operands,
                            std::span<const TensorType> local_results);

/// `given` with the op's fallbacks filled in, and integers turned to reals where reals are meant.
/// Errors: invalid_argument for a missing, unknown or wrongly typed attribute.
Result<Attributes> complete_attributes(const OpRow& row, Attributes given);

/// Whether the attributes are exactly those that the op takes, of the right kinds.
Status check_attributes(const OpRow& row, const Attributes& attributes);

/// The result types of one application, with everything checked that does not depend on the graph:
/// number of operands, attributes, kernels for the element types, shapes within limits.
/// Errors: invalid_argument; unimplemented for an element type without kernels.
Result<Types> infer_types(const OpRow& row, OpInputs in, const Limits& limits = {});

}  // namespace penstock::program
