#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "executor/compiler/sharded_program.h"
#include "schema/program/kernel.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

/// Instructions of one stream run in order; streams are ordered by events alone.
enum class Stream : std::uint8_t { compute, communicate };

/// Where operands and scratch may start: at its multiples.
inline constexpr std::int64_t kOperandAlignment = 64;

/// A tensor in the device's arena. Dense, row-major over its *true* extents: a dynamic dimension
/// is resolved per call from the sharding (see runtime/extents.h).
struct Operand {
  std::int64_t offset = 0;   // bytes from the start of the arena; a multiple of 64
  program::TensorType type;  // local bounds of one micro-batch
  program::Sharding sharding;
  /// The buffer holds all micro-batches of the call one behind the other along the dynamic
  /// dimension (dimension 0), and this instruction uses the current one.
  bool per_micro = false;
  /// A broadcast folded into its user: operand dimension i is dimension broadcast_dims[i] of the
  /// result, the others have stride 0. Empty with `broadcast` set: a scalar.
  bool broadcast = false;
  std::vector<std::int64_t> broadcast_dims;
  bool operator==(const Operand&) const = default;
};

struct KernelCall {
  program::Kernel kernel;
  program::Attributes attributes;
  bool operator==(const KernelCall&) const = default;
};

/// One map of several that run in a single pass over memory. Operand i is input i of the
/// instruction where there are so many, otherwise what map `i - inputs` of the same call makes.
struct FusedMap {
  program::Kernel kernel;
  program::Attributes attributes;
  program::DType dtype = program::DType::f32;  // of what it makes
  std::vector<int> operands;
  bool operator==(const FusedMap&) const = default;
};

/// Maps over one shape, in order. All read their operands before a result may overwrite them.
struct FusedCall {
  std::vector<FusedMap> maps;
  std::vector<int> results;  // by output: the map that makes it
  bool operator==(const FusedCall&) const = default;
};

/// How many maps one fused call may hold, and how many tensors it may read and write.
inline constexpr std::size_t kFusedMapsMax = 32;
inline constexpr std::size_t kFusedInputsMax = 12;

/// A region that the backend has claimed whole.
struct RegionCall {
  program::OpIndex op = 0;
  program::Attributes attributes;
  bool operator==(const RegionCall&) const = default;
};

/// A collective over one contiguous block: inputs[0] -> outputs[0], in place where the offsets are
/// equal (all_reduce always is). A bucket is one call whose members are listed in `members`, laid
/// out one behind the other from `outputs[0].offset`.
struct CollectiveCall {
  Collective collective;
  program::DType dtype = program::DType::f32;
  std::int64_t elements = 0;  // of the whole block, bounds
  std::vector<Operand> members;
  bool operator==(const CollectiveCall&) const = default;
};

/// `output += input`, for accumulation over micro-batches; the first micro-batch overwrites.
struct AccumulateCall {
  bool operator==(const AccumulateCall&) const = default;
};

struct Instruction {
  Stream stream = Stream::compute;
  std::variant<KernelCall, FusedCall, RegionCall, CollectiveCall, AccumulateCall> call;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::int64_t scratch_offset = 0;  // work space of the backend's own, if it asked for some
  std::int64_t scratch_bytes = 0;
  std::vector<std::int32_t> waits;  // events that must have happened first
  std::int32_t signals = -1;        // event that happens when this one has finished
  std::string label;                // `matmul %7`: for traces, errors and explain
  bool operator==(const Instruction&) const = default;
};

/// A run of instructions. `each_micro` ones run for every micro-batch but the last; the last
/// micro-batch runs the `last_micro` segment, in which collectives are interleaved as their
/// operands complete. With one micro-batch only `before` and `last_micro` exist.
struct Segment {
  enum class When : std::uint8_t { before, each_micro, last_micro };
  When when = When::last_micro;
  std::vector<Instruction> instructions;
  bool operator==(const Segment&) const = default;
};

/// An input or output of a call as this device holds it: `operand.sharding` says which slice.
struct Port {
  std::string name;
  program::TensorType global;
  Operand operand;
  bool operator==(const Port&) const = default;
};

struct ExecutableEntry {
  std::string name;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Segment> segments;
  std::int32_t events = 0;  // events are numbered 0 .. events - 1, fresh in each call
  bool operator==(const ExecutableEntry&) const = default;
};

struct VariableSlot {
  program::Variable global;
  Operand operand;
  bool operator==(const VariableSlot&) const = default;
};

/// Instruction lists with buffer offsets, the same for every rank of the mesh. Variables lie at the
/// start of the arena and keep their place; entries share the rest.
struct Executable {
  std::uint64_t seed = 0;
  program::Plan plan;
  std::vector<VariableSlot> variables;
  std::vector<ExecutableEntry> entries;
  std::int64_t arena_bytes = 0;
  bool operator==(const Executable&) const = default;

  const ExecutableEntry* find_entry(std::string_view name) const;
};

std::string print(const Executable& executable);
/// `fused(map_add(0,1), map_relu(2)) -> 3`
std::string to_text(const FusedCall& call, std::size_t inputs);

}  // namespace penstock::compiler
