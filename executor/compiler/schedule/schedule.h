#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "executor/compiler/executable.h"
#include "executor/compiler/sharded_program.h"
#include "executor/compiler/target.h"

namespace penstock::compiler {

/// A value that needs no instruction of its own.
struct View {
  ValueId of;
  bool broadcast = false;          // folded into the maps that use it
  std::vector<std::int64_t> dims;  // of the broadcast
};

/// What becomes one instruction.
struct Step {
  Phase phase = Phase::each;
  std::variant<KernelCall, FusedCall, RegionCall, CollectiveCall, AccumulateCall> call;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string label;
  bool elementwise = false;  // an element of a result depends on the same element of each operand
};

/// The instructions of one entry in order, before anything has a place.
struct Schedule {
  std::string name;  // of the entry
  std::vector<ShardedValue> values;
  std::vector<std::optional<View>> views;  // by value
  std::vector<Step> steps;
  std::vector<program::NamedValue> outputs;
  std::vector<program::VariableWrite> writes;

  const ShardedValue& value(ValueId id) const { return values[static_cast<std::size_t>(id.index)]; }
  /// The value whose bytes it is.
  ValueId root(ValueId id) const;
  bool is_output(ValueId id) const;
  bool is_written(ValueId id) const;
  /// A copy of the value under a new number.
  ValueId clone(ValueId id);
};

/// What every device does, entry by entry.
struct ScheduledProgram {
  std::uint64_t seed = 0;
  program::Plan plan;
  std::vector<ShardedVariable> variables;
  std::vector<Schedule> entries;
};

/// Regions that the target does not claim are inlined; nodes of phase `before` come first, buckets
/// are one step, views are recognised.
/// Errors: unimplemented for a value cut over time along another dimension than the first
/// Threads: pure
Result<ScheduledProgram> schedule(const ShardedProgram& program, const Target& target);

/// Every step reads what was made before, and fused calls are of one shape.
/// Errors: internal naming entry and step
Status verify(const ScheduledProgram& program);
std::string print(const ScheduledProgram& program);

}  // namespace penstock::compiler
