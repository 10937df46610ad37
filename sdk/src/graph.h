#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/program.h"
#include "schema/program/attributes.h"

namespace penstock::detail {

/// What a Program and its values share.
struct Graph {
  program::Program program;
};

/// The one way from the public handles to the program model.
class GraphAccess {
 public:
  static Graph& graph(const Program& program) { return *program.graph_; }
  static const std::shared_ptr<Graph>& graph(const Value& value) { return value.graph_; }
  static bool is_variable(const Value& value) { return value.entry_ < 0; }
  static int entry(const Value& value) { return value.entry_; }
  static int index(const Value& value) { return value.index_; }
  static Value make(std::shared_ptr<Graph> graph, int entry, int index);
  /// `value`, read in the entry of `where` if it is a variable and `where` is of an entry.
  static Value bind(const Value& value, const Value& where);

  /// The value as one of entry `entry`; a variable is read there.
  /// Errors: invalid_argument for a null value, another program or another entry
  static Result<program::ValueId> resolve(const Graph& graph, int entry, const Value& value,
                                          std::string_view user);
};

/// Applies an op of the list in the entry of its operands; `where` gives program and entry when
/// there are no operands.
/// Errors: Exception, from the op's own checks
Value apply(std::string_view op, std::span<const Value> operands,
            program::Attributes attributes = {});
/// All results of an op that has several.
std::vector<Value> apply_all(std::string_view op, std::span<const Value> operands,
                             program::Attributes attributes = {});
Value apply_in(const Value& where, std::string_view op, program::Attributes attributes);

/// Index of the entry, made if there is none.
int find_or_add_entry(Graph& graph, std::string_view name);

}  // namespace penstock::detail
