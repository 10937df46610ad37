#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "executor/runtime/runner.h"

namespace penstock::executor {

enum class CommandKind : std::uint8_t { load, unload, run, read_variable, write_variable };

std::string_view name(CommandKind kind);

/// What every rank of a lease does, in the order of the leader's numbers.
struct Command {
  std::uint64_t sequence = 0;
  std::uint64_t lane = 0;
  CommandKind kind = CommandKind::run;
  std::string name;  // load: the program's text; run: the entry; otherwise: the variable
  std::string plan;  // load: the plan's text
  std::int64_t batch_size = 0;
  /// A run may be one of a repetition (0: none). It is left out when an earlier run of the same
  /// repetition ended it: output `until` was true in every element.
  std::uint64_t repetition = 0;
  std::string until;
  bool operator==(const Command&) const = default;
};

/// What a rank answers to a command.
struct Completion {
  std::uint64_t sequence = 0;
  std::optional<Error> error;
  runtime::CallTimes times;
  Nanoseconds input{};  // bringing the inputs to their place
  std::uint64_t arena_bytes = 0;
  Nanoseconds compile{};
  bool skipped = false;  // the run's repetition was over
};

/// A message between ranks: a body, and the sizes of the blobs that follow it.
template <class Body>
struct Decoded {
  Body body;
  std::vector<std::uint64_t> blob_bytes;
};

/// Sizes and counts are checked when they are read: a worker runs a tenant's program.
/// Errors: data_loss naming the field
std::string encode(const Command& command, const std::vector<std::uint64_t>& blob_bytes);
Result<Decoded<Command>> decode_command(std::string_view bytes);
std::string encode(const Completion& completion, const std::vector<std::uint64_t>& blob_bytes);
Result<Decoded<Completion>> decode_completion(std::string_view bytes);

}  // namespace penstock::executor
