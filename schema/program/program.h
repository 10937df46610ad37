#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/program/attributes.h"
#include "schema/program/types.h"

namespace penstock::program {

/// Index of an op in the op list (schema/program/op_list.h).
using OpIndex = std::uint16_t;

/// Index of a value in its entry.
struct ValueId {
  std::int32_t index = -1;
  constexpr explicit operator bool() const { return index >= 0; }
  constexpr auto operator<=>(const ValueId&) const = default;
};

/// How a variable gets its first value. Random draws are counter-based over the *global* element
/// index, keyed by the program's seed and the variable's name, so they do not depend on the plan.
struct Initializer {
  enum class Kind : std::uint8_t { constant, uniform, normal };
  Kind kind = Kind::constant;
  double a = 0;  // constant: the value; uniform: lower bound; normal: mean
  double b = 0;  // uniform: upper bound; normal: standard deviation
  bool operator==(const Initializer&) const = default;
};

/// A tensor that lives on the devices between calls. Its shape is static.
struct Variable {
  std::string name;
  TensorType type;
  Initializer initializer;
  bool trainable = false;
  bool operator==(const Variable&) const = default;
};

/// One application of an op. `outputs` are consecutive values of the entry.
struct Node {
  OpIndex op = 0;
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  bool operator==(const Node&) const = default;
};

/// Where a value comes from: a node's output, an input of the call, or a variable as it was when
/// the call began.
enum class Source : std::uint8_t { node, input, variable };

struct ValueInfo {
  TensorType type;
  Source source = Source::node;
  std::int32_t index = 0;  // node: index into nodes; variable: index into Program::variables
  std::string name;        // input: its name; otherwise empty
  bool operator==(const ValueInfo&) const = default;
};

struct NamedValue {
  std::string name;
  ValueId value;
  bool operator==(const NamedValue&) const = default;
};

/// At the end of the call the variable takes the value.
struct VariableWrite {
  std::int32_t variable = 0;
  ValueId value;
  bool operator==(const VariableWrite&) const = default;
};

/// A named way into a program. Nodes are in the order of their outputs, and every input precedes
/// its use. A variable is read at most once.
struct Entry {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<Node> nodes;
  std::vector<NamedValue> outputs;
  std::vector<VariableWrite> writes;

  const TensorType& type(ValueId id) const {
    return values[static_cast<std::size_t>(id.index)].type;
  }
  bool operator==(const Entry&) const = default;
};

/// What makes a program trainable: minimise output `loss` (a scalar) of entry `entry` over the
/// trainable variables. `optimizer` is "sgd" or "adamw" (an op of the list, applied to each
/// parameter), with its attributes. The differentiate stage turns this into the entries
/// `step`, `forward_backward`, `update` and `evaluate`.
struct Training {
  std::string entry;
  std::string loss;
  std::string optimizer;
  Attributes options;
  double learning_rate = 0;
  /// `clip_value`: no element of a gradient beyond it; then `clip_norm`: all gradients shrunk
  /// together until the root of their sum of squares is no more. Either may be missing.
  Attributes clipping = {};
  bool operator==(const Training&) const = default;
};

/// An immutable graph of ops over typed, shaped values, with variables and one or more entries.
struct Program {
  std::uint64_t seed = 0;
  std::vector<Variable> variables;
  std::vector<Entry> entries;
  std::optional<Training> training;

  const Entry* find_entry(std::string_view name) const;
  std::optional<std::int32_t> find_variable(std::string_view name) const;
  bool operator==(const Program&) const = default;
};

}  // namespace penstock::program
