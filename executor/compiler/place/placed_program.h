#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/compiler/executable.h"
#include "executor/compiler/sharded_program.h"

namespace penstock::compiler {

/// Bytes of the arena.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
  bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const ByteRange&) const = default;
};

/// One instruction with its place in the arena, not yet in a segment and without events.
struct PlacedStep {
  Phase phase = Phase::each;
  Instruction instruction;
  std::vector<ByteRange> reads;
  std::vector<ByteRange> writes;
};

/// A stretch of the arena that one or more values share, and the steps between which it is theirs:
/// -1 is before the first one, the number of steps behind the last.
struct Buffer {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  int first = 0;
  int last = 0;
  std::string label;  // of the value that made it
};

struct PlacedEntry {
  std::string name;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<PlacedStep> steps;
  std::vector<Buffer> buffers;
};

/// Every value has its place: what `emit` takes.
struct PlacedProgram {
  std::uint64_t seed = 0;
  program::Plan plan;
  std::vector<VariableSlot> variables;
  std::vector<PlacedEntry> entries;
  std::int64_t variable_bytes = 0;
  std::int64_t arena_bytes = 0;
};

}  // namespace penstock::compiler
