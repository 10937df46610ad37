#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "executor/compiler/executable.h"
#include "executor/runtime/backend.h"
#include "executor/runtime/runner.h"
#include "executor/worker/buffer_pool.h"
#include "executor/worker/command.h"
#include "executor/worker/trace_file.h"

namespace penstock::executor {

/// What one rank made of one command.
struct RankResult {
  Completion completion;
  /// run: the outputs, in the order of the entry's ports; read_variable: its bytes. The leader
  /// gives its slice of each, a follower those that are cut (others are the same on the leader).
  std::vector<Buffer> outputs;
  /// load. Shared: immutable, and read by the leader's checks while the rank runs.
  std::shared_ptr<const compiler::Executable> executable;
  Instant started;
};

/// The programs of one rank: each lane's executable, its device memory and its variables. Leader
/// and followers run the same code. Threads: one, the compute thread
class RankPrograms {
 public:
  struct Options {
    std::uint32_t rank = 0;
    std::uint32_t ranks = 1;
    std::string place;               // for errors: "rank 1 (cpu device 3 of host a)"
    std::uint64_t memory_bytes = 0;  // of the device
    /// A backend on the device with this much of its memory.
    std::function<std::unique_ptr<runtime::Backend>(std::int64_t memory_bytes)> make_backend;
    runtime::CollectiveStream* collectives = nullptr;  // null for one rank
    const Clock* clock = nullptr;
    std::shared_ptr<BufferPool> pool;
    TraceFile* trace = nullptr;
  };
  explicit RankPrograms(Options options) : options_(std::move(options)) {}

  /// Runs a command. Its error, if any, names this rank; after a failed run the lane fails for
  /// ever.
  RankResult execute(const Command& command, std::span<const std::span<const std::byte>> inputs);

 private:
  struct Lane {
    std::shared_ptr<const compiler::Executable> executable;
    std::unique_ptr<runtime::Backend> backend;
    std::unique_ptr<runtime::Runner> runner;
    std::optional<Error> failed;
    std::uint64_t ended_repetition = 0;  // the last that its condition ended
  };
  using Inputs = std::span<const std::span<const std::byte>>;

  Status dispatch(const Command& command, Inputs inputs, RankResult& result);
  Status load(const Command& command, RankResult& result);
  Status unload(const Command& command);
  Status run(Lane& lane, const Command& command, Inputs inputs, RankResult& result);
  Status read_variable(Lane& lane, const Command& command, RankResult& result);
  Status write_variable(Lane& lane, const Command& command, Inputs inputs);
  Status place_inputs(Lane& lane, const compiler::ExecutableEntry& entry, const Command& command,
                      Inputs inputs);
  Status collect_outputs(Lane& lane, const compiler::ExecutableEntry& entry, const Command& command,
                         RankResult& result);
  Status end_repetition(Lane& lane, const compiler::ExecutableEntry& entry, const Command& command);
  std::uint64_t used_bytes() const;
  Buffer copy_of(std::span<const std::byte> bytes);

  const Options options_;
  std::map<std::uint64_t, Lane> lanes_;
};

/// Whether a plan fits a lease of `ranks` devices.
/// Errors: invalid_argument with both numbers; unimplemented for more than one axis of devices
Status check_plan(const program::Plan& plan, std::uint32_t ranks);

}  // namespace penstock::executor
