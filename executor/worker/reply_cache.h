#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "executor/worker/buffer_pool.h"
#include "schema/program/types.h"
#include "schema/wire/convert.h"

namespace penstock::executor {

struct OutputTensor {
  std::string name;
  program::TensorType type;  // true extents
  Buffer bytes;
};

/// The answer of one numbered call.
struct Reply {
  std::uint64_t number = 0;
  std::vector<OutputTensor> outputs;
  wire::CallTime time;
  wire::CallUsage usage;
  std::uint64_t step = 0;
  /// A repetition's: how often the entry ran, and the reply of each run where they are small enough
  /// to be kept, otherwise of the last.
  std::uint64_t run_count = 0;
  std::vector<std::shared_ptr<const Reply>> runs;

  /// Of this reply and its runs'.
  std::uint64_t output_bytes() const;
};

/// Shared: an answer is immutable, and is read by the cache and by every stream that sends it.
using ReplyPtr = std::shared_ptr<const Reply>;

/// The last answers of a lane, for calls that are repeated because their reply was lost.
/// Threads: one
class ReplyCache {
 public:
  ReplyCache(std::size_t count_max, std::uint64_t bytes_max)
      : count_max_(count_max), bytes_max_(bytes_max) {}

  /// Answers come in the order of their numbers, without a gap. The newest is always kept.
  void add(ReplyPtr reply);
  /// Errors: failed_precondition if the answer is no longer kept, saying which are
  Result<ReplyPtr> find(std::uint64_t number) const;
  std::uint64_t bytes() const { return bytes_; }

 private:
  const std::size_t count_max_;
  const std::uint64_t bytes_max_;
  std::deque<ReplyPtr> kept_;  // consecutive numbers
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock::executor
