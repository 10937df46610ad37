#pragma once

#include <vector>

#include "schema/program/program.h"

namespace penstock::compiler {

/// Copies an entry value by value into a new one, where a pass may leave out, replace or add nodes.
/// Threads: one
class EntryCopy {
 public:
  explicit EntryCopy(const program::Entry& from);

  /// The new value that stands for the old one.
  program::ValueId operator[](program::ValueId old) const;
  bool has(program::ValueId old) const;
  void replace(program::ValueId old, program::ValueId by);

  /// An input or a variable read.
  void copy_source(program::ValueId old);
  /// The node with its operands replaced; its results stand for the old ones.
  void copy_node(const program::Node& node);
  /// A node whose operands are new values already.
  std::vector<program::ValueId> add_node(program::OpIndex op, program::Attributes attributes,
                                         std::vector<program::ValueId> inputs,
                                         std::vector<program::TensorType> results);
  const program::Entry& entry() const { return to_; }

  /// The outputs and writes of the old entry are carried over.
  program::Entry finish() &&;

 private:
  const program::Entry& from_;
  program::Entry to_;
  std::vector<program::ValueId> map_;
};

}  // namespace penstock::compiler
