#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

using program::ValueId;

/// When a node runs within a call whose mesh has a time axis. Without one, every node is `each`. An
/// accumulation runs in each micro-batch; its result is there after the last.
enum class Phase : std::uint8_t {
  before,  // once, before the first micro-batch
  each,    // once per micro-batch
  after,   // once, when the last micro-batch has been accumulated
};

/// A communication, or a change of layout that needs none.
enum class CollectiveKind : std::uint8_t {
  all_reduce,      // partial -> replicated
  all_gather,      // split(dim) -> replicated
  reduce_scatter,  // partial -> split(dim)
  slice,           // replicated -> split(dim): local, no communication
  accumulate,      // partial over a time axis -> whole: adds micro-batch by micro-batch, local
};

struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  int axis = 0;     // of the mesh
  int dim = -1;     // all_gather, reduce_scatter, slice
  int bucket = -1;  // set by the bucket stage: all_reduces that travel together
  bool operator==(const Collective&) const = default;
};

/// A value as each device holds it.
struct ShardedValue {
  program::TensorType global;  // as in the program
  program::TensorType local;   // bounds per device and micro-batch
  program::Sharding sharding;
  program::Source source = program::Source::node;
  std::int32_t index = 0;
  std::string name;
  bool operator==(const ShardedValue&) const = default;
};

/// An op on local shapes, or a collective with one operand and one result.
struct ShardedNode {
  program::OpIndex op = 0;
  program::Attributes attributes;
  std::optional<Collective> collective;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Phase phase = Phase::each;
  bool operator==(const ShardedNode&) const = default;
};

struct ShardedEntry {
  std::string name;
  std::vector<ShardedValue> values;
  std::vector<ShardedNode> nodes;
  std::vector<program::NamedValue> outputs;
  std::vector<program::VariableWrite> writes;

  const ShardedValue& value(ValueId id) const { return values[static_cast<std::size_t>(id.index)]; }
  bool operator==(const ShardedEntry&) const = default;
};

struct ShardedVariable {
  program::Variable global;
  program::TensorType local;
  program::Sharding sharding;
  bool operator==(const ShardedVariable&) const = default;
};

/// What every device runs: per-device shapes, explicit collectives, phases. The same for all ranks;
/// the true sizes of dynamic dimensions follow from rank and call (program::part_of).
struct ShardedProgram {
  std::uint64_t seed = 0;
  program::Plan plan;
  std::vector<ShardedVariable> variables;
  std::vector<ShardedEntry> entries;
  bool operator==(const ShardedProgram&) const = default;
};

/// Text: `all_reduce[data, bucket 0]`, `all_gather[data, dim 1]`.
std::string to_text(const Collective& collective, const program::Mesh& mesh);
std::string print(const ShardedProgram& program);

}  // namespace penstock::compiler
