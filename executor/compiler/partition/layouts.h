#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "executor/compiler/sharded_program.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

/// The layouts in which the values of one entry exist so far, and the collectives that make new
/// ones. Every layout of a value is made once. Threads: one
class Layouts {
 public:
  Layouts(const program::Entry& entry, const program::Mesh& mesh);

  void add_source(program::ValueId old, const program::Sharding& sharding);
  void add_node(const program::Node& node, program::Attributes local, std::vector<ValueId> inputs,
                const std::vector<program::Sharding>& results);

  /// The layout in which the value was made.
  const program::Sharding& made(program::ValueId old) const;
  ValueId made_value(program::ValueId old) const;
  Phase phase(ValueId value) const { return phases_[static_cast<std::size_t>(value.index)]; }

  /// Estimated bytes moved to have the value in `wanted` over this axis, from the layout that is
  /// nearest; none where there is no way. `each` asks for it within every micro-batch.
  std::optional<double> cost(program::ValueId old, int axis, program::AxisSharding wanted,
                             bool each) const;

  /// Inserts what it takes to have the value in this layout.
  /// Errors: unimplemented, saying what cannot be done.
  Result<ValueId> convert(program::ValueId old, const program::Sharding& wanted);

  const ShardedEntry& entry() const { return out_; }
  ShardedEntry take() && { return std::move(out_); }

 private:
  ValueId add_value(ShardedValue value, Phase phase);
  ValueId collect(program::ValueId old, ValueId from, CollectiveKind kind, int axis,
                  program::AxisSharding result);
  double distance(program::ValueId old, ValueId from, const program::Sharding& wanted) const;
  std::optional<double> axis_cost(program::ValueId old, ValueId from, int axis,
                                  program::AxisSharding wanted, bool each) const;
  Phase phase_of(const std::vector<ValueId>& inputs,
                 const std::vector<program::Sharding>& results) const;
  const program::Sharding& sharding(ValueId id) const { return out_.value(id).sharding; }

  const program::Entry& entry_;
  const program::Mesh& mesh_;
  const int time_;
  ShardedEntry out_;
  std::vector<Phase> phases_;                   // by new value
  std::vector<std::vector<ValueId>> versions_;  // by old value, the made one first
};

}  // namespace penstock::compiler
