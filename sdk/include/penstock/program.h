#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/error.h"
#include "penstock/types.h"
#include "schema/program/program.h"

namespace penstock {

namespace detail {
struct Graph;
class GraphAccess;
}  // namespace detail

/// A value of a program: an input, a variable, or what an op makes of others. Cheap to copy; keeps
/// its program alive. Operators and functions on values are in penstock/ops.h.
class Value {
 public:
  /// Names nothing; using it is an error.
  Value() = default;

  /// Element type and shape. Errors: Exception if it names nothing.
  TensorType type() const;
  DType dtype() const { return type().dtype; }
  Shape shape() const { return type().shape; }
  /// "%7: f32[<=64,10]", for messages and logs.
  std::string text() const;

 private:
  friend class detail::GraphAccess;
  // Shared: a program and its values are used together, and either handle may outlive the other.
  std::shared_ptr<detail::Graph> graph_;
  int entry_ = -1;  // -1: a variable, which belongs to every entry
  int index_ = -1;  // of the value in its entry, or of the variable
};

/// How a variable starts.
namespace init {
program::Initializer zeros();
program::Initializer constant(double value);
/// Uniform in [low, high), the same numbers whatever the plan.
program::Initializer uniform(double low, double high);
program::Initializer normal(double mean, double deviation);
}  // namespace init

struct VariableOptions {
  bool trainable = true;
};

/// A named way into a program, with inputs and outputs of its own; variables are shared by all.
class Entry {
 public:
  /// A tensor that every call brings.
  Value input(std::string name, DType dtype, Shape shape);
  /// What a call returns under `name`.
  void output(std::string name, const Value& value);
  /// The variable takes the value at the end of each call of this entry.
  void assign(const Value& variable, const Value& value);

 private:
  friend class Program;
  friend class detail::GraphAccess;
  Entry(std::shared_ptr<detail::Graph> graph, int index)
      : graph_(std::move(graph)), index_(index) {}
  std::shared_ptr<detail::Graph> graph_;
  int index_;
};

/// A tensor program under construction. Every mistake is an Exception at the line that made it.
///
///     ps::Program net;
///     auto x = net.input("x", ps::f32, {ps::batch(64), 784});
///     auto w = net.variable("w", ps::f32, {784, 10}, ps::init::zeros());
///     net.output("logits", ps::matmul(x, w));
///
/// Threads: one
class Program {
 public:
  Program();

  /// Reads the text form. Errors: Exception with invalid_argument naming line and what is wrong
  static Program from_text(std::string_view text);

  /// The entry of this name; made if there is none.
  Entry entry(std::string_view name);

  /// In the entry `main`.
  Value input(std::string name, DType dtype, Shape shape);
  void output(std::string name, const Value& value);
  void assign(const Value& variable, const Value& value);

  /// A tensor that lives on the devices between calls.
  Value variable(std::string name, DType dtype, Shape shape, program::Initializer initializer,
                 VariableOptions options = {});
  /// Errors: not_found
  Value variable(std::string_view name) const;
  bool has_variable(std::string_view name) const;
  /// What a call of the entry returns under `name`: the loss to train, say. Errors: not_found
  Value output_value(std::string_view entry, std::string_view name) const;

  /// Decides all random initial values; 0 by default.
  void seed(std::uint64_t seed);

  /// The stable text form (schema/program/text.h).
  std::string text() const;

 private:
  friend class detail::GraphAccess;
  std::shared_ptr<detail::Graph> graph_;
};

}  // namespace penstock
