#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "executor/compiler/executable.h"
#include "executor/runtime/backend.h"

namespace penstock::runtime {

/// From one moment to another, in one clock.
struct Span {
  Instant begin, end;
};

/// The communicate stream of a device, implemented over the collectives by the worker, and by
/// tests. Calls of one rank start in the order in which they are made, the same on every rank.
class CollectiveStream {
 public:
  virtual ~CollectiveStream() = default;
  /// Starts the collective on a block of the arena and returns at once; the event with this number
  /// happens when it has finished.
  virtual void start(const compiler::CollectiveCall& call, std::span<std::byte> input,
                     std::span<std::byte> output, std::int32_t event, const std::string& label) = 0;
  /// Blocks until the event has happened.
  /// Errors: what the collective met; deadline_exceeded or unavailable naming the rank.
  virtual Status wait(std::int32_t event) = 0;
  /// Forgets all events: the next call begins, with events 0 .. events - 1. All started collectives
  /// have been waited for.
  virtual void reset(std::int32_t events) = 0;
  /// When a finished collective really ran, in the runner's clock, if the stream knows. Otherwise
  /// its stamp goes from its start to the end of the first wait.
  virtual std::optional<Span> ran(std::int32_t event) const {
    static_cast<void>(event);
    return std::nullopt;
  }
};

/// Begin and end of one instruction, in the runner's clock.
struct Stamp {
  const compiler::Instruction* instruction = nullptr;
  std::int64_t micro = 0;
  Instant begin, end;
};

/// Where the time of one call went, on this device.
struct CallTimes {
  Nanoseconds compute{};        // in kernels
  Nanoseconds communication{};  // waiting for collectives
  Nanoseconds total{};
};

struct RunOptions {
  std::int64_t batch_size = 0;  // true global rows; 0 where the entry has no dynamic dimension
  std::function<void(const Stamp&)> observe = {};  // for --trace
};

/// Walks an executable on one rank: the same code for every backend.
/// Threads: one
class Runner {
 public:
  struct Options {
    compiler::Executable executable;
    std::int64_t rank = 0;
    Backend* backend = nullptr;               // outlives the runner
    CollectiveStream* collectives = nullptr;  // may be null for one device
    const Clock* clock = nullptr;
  };
  /// Allocates the arena and initialises the variables.
  static Result<std::unique_ptr<Runner>> create(Options options);
  virtual ~Runner() = default;

  virtual const compiler::Executable& executable() const = 0;

  /// This rank's slice of a global input or output for a call of `batch_size` rows: the rows it
  /// holds (all micro-batches). A whole (replicated) port gives all rows.
  virtual program::Range rows(const compiler::Port& port, std::int64_t batch_size) const = 0;
  /// The bytes where this rank's slice of the input goes before the call, or of the output lies
  /// after it. Dense, row-major, true extents.
  virtual std::span<std::byte> port_bytes(const compiler::Port& port, std::int64_t batch_size) = 0;

  /// Runs one entry once.
  /// Errors: names instruction and rank; the variables are then undefined.
  virtual Result<CallTimes> run(std::string_view entry, const RunOptions& options) = 0;

  /// This rank's bytes of a variable.
  /// Errors: not_found naming the variable and the nearest names.
  virtual Result<std::span<std::byte>> variable(std::string_view name) = 0;
};

}  // namespace penstock::runtime
