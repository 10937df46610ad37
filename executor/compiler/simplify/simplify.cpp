#include "executor/compiler/simplify/simplify.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "executor/compiler/simplify/dead_code.h"
#include "executor/compiler/simplify/entry_copy.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

using program::Entry;
using program::Kernel;
using program::Node;
using program::OpRow;
using program::Source;
using program::TensorType;
using program::ValueId;

/// What is known of a value: the number that all its elements have.
using Known = std::vector<std::optional<double>>;

std::optional<double> known_at(const Known& known, ValueId id) {
  const auto i = static_cast<std::size_t>(id.index);
  return i < known.size() ? known[i] : std::nullopt;
}

bool is_identity_permutation(const std::vector<std::int64_t>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

/// The operand that the node's result equals, if there is one.
std::optional<ValueId> same_as(const Node& node, const std::vector<ValueId>& inputs,
                               const Entry& entry, const TensorType& result, const Known& known) {
  const std::optional<Kernel> kernel = program::op_row(node.op).kernel;
  if (!kernel || inputs.empty() || entry.type(inputs[0]) != result) {
    // x + 0 and x * 1 also hold for the second operand, whose type is the result's as well.
    return std::nullopt;
  }
  const auto is = [&](std::size_t i, double value) { return known_at(known, inputs[i]) == value; };
  switch (*kernel) {
    case Kernel::copy_plain:
    case Kernel::map_cast:
    case Kernel::copy_broadcast:
      return inputs[0];
    case Kernel::copy_transpose:
      if (is_identity_permutation(node.attributes.integers("permutation"))) return inputs[0];
      return std::nullopt;
    case Kernel::map_add:
      if (is(1, 0)) return inputs[0];
      if (is(0, 0)) return inputs[1];
      return std::nullopt;
    case Kernel::map_subtract:
      return is(1, 0) ? std::optional(inputs[0]) : std::nullopt;
    case Kernel::map_multiply:
      if (is(1, 1)) return inputs[0];
      if (is(0, 1)) return inputs[1];
      return std::nullopt;
    case Kernel::map_divide:
      return is(1, 1) ? std::optional(inputs[0]) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Rounds to the element type. An f32 sum, product, quotient or root that is computed in double and
/// rounded once more is the correctly rounded one: 53 >= 2 * 24 + 2 (Figueroa 1995).
double rounded(double value, program::DType dtype) {
  return dtype == program::DType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/// The number that every element of the floating-point result has, where the operands' are known.
std::optional<double> fold(const Node& node, const std::vector<ValueId>& inputs,
                           const TensorType& result, const Known& known) {
  const std::optional<Kernel> kernel = program::op_row(node.op).kernel;
  if (!kernel) return std::nullopt;
  if (*kernel == Kernel::fill_constant) return node.attributes.real("value");
  std::vector<double> x;
  for (const ValueId id : inputs) {
    const std::optional<double> value = known_at(known, id);
    if (!value) return std::nullopt;
    x.push_back(*value);
  }
  if (x.empty()) return std::nullopt;
  switch (*kernel) {
    case Kernel::copy_plain:
    case Kernel::copy_broadcast:
    case Kernel::copy_transpose:
      return x[0];
    default:
      break;
  }
  if (!program::is_float(result.dtype)) return std::nullopt;
  switch (*kernel) {
    case Kernel::map_add:
      return rounded(x[0] + x[1], result.dtype);
    case Kernel::map_subtract:
      return rounded(x[0] - x[1], result.dtype);
    case Kernel::map_multiply:
      return rounded(x[0] * x[1], result.dtype);
    case Kernel::map_divide:
      return rounded(x[0] / x[1], result.dtype);
    case Kernel::map_negate:
      return -x[0];
    case Kernel::map_sqrt:
      return rounded(std::sqrt(x[0]), result.dtype);
    case Kernel::map_cast:
      return rounded(x[0], result.dtype);
    default:
      return std::nullopt;
  }
}

std::string key_of(program::OpIndex op, const program::Attributes& attributes,
                   const std::vector<ValueId>& inputs) {
  std::string key = std::to_string(op);
  for (const auto& [name, value] : attributes.items())
    key += "|" + name + "=" + program::to_text(value);
  for (const ValueId id : inputs) key += "," + std::to_string(id.index);
  return key;
}

class Simplifier {
 public:
  explicit Simplifier(const Entry& entry) : from_(entry), copy_(entry) {}

  Entry run() && {
    for (std::size_t i = 0; i < from_.values.size(); ++i) {
      const program::ValueInfo& value = from_.values[i];
      const ValueId id{static_cast<std::int32_t>(i)};
      if (value.source != Source::node)
        copy_.copy_source(id);
      else if (!copy_.has(id))
        visit(from_.nodes[static_cast<std::size_t>(value.index)]);
    }
    return std::move(copy_).finish();
  }

 private:
  void visit(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId id : node.inputs) inputs.push_back(copy_[id]);
    std::vector<TensorType> results;
    for (const ValueId id : node.outputs) results.push_back(from_.type(id));
    if (const auto same = same_as(node, inputs, copy_.entry(), results[0], known_)) {
      copy_.replace(node.outputs[0], *same);
      return;
    }
    const std::optional<double> value =
        results.size() == 1 ? fold(node, inputs, results[0], known_) : std::nullopt;
    const bool scalar = results[0].shape.empty();
    if (value && scalar && !inputs.empty() && std::isfinite(*value)) {
      const auto constant = program::find_op("constant");
      PENSTOCK_CHECK(constant.has_value());
      finish(node, *constant, {{"dtype", results[0].dtype}, {"value", *value}}, {}, results, value);
      return;
    }
    finish(node, node.op, node.attributes, std::move(inputs), std::move(results), value);
  }

  /// Adds the node unless an equal one is there.
  void finish(const Node& old, program::OpIndex op, program::Attributes attributes,
              std::vector<ValueId> inputs, std::vector<TensorType> results,
              std::optional<double> value) {
    const auto [at, is_new] = seen_.try_emplace(key_of(op, attributes, inputs));
    if (is_new)
      at->second = copy_.add_node(op, std::move(attributes), std::move(inputs), std::move(results));
    for (std::size_t i = 0; i < at->second.size(); ++i)
      copy_.replace(old.outputs[i], at->second[i]);
    known_.resize(copy_.entry().values.size());
    if (value) known_[static_cast<std::size_t>(at->second[0].index)] = value;
  }

  const Entry& from_;
  EntryCopy copy_;
  Known known_;
  std::map<std::string, std::vector<ValueId>> seen_;
};

}  // namespace

program::Program simplify(program::Program program) {
  for (Entry& entry : program.entries)
    entry = without_dead_code(Simplifier(without_dead_code(entry)).run());
  return program;
}

}  // namespace penstock::compiler
