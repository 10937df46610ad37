#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "executor/worker/buffer_pool.h"
#include "executor/worker/limits.h"
#include "schema/program/types.h"
#include "schema/wire/common.capnp.h"

namespace penstock::executor {

/// A tensor that came ahead of its call.
struct Upload {
  std::string name;
  program::TensorType type;
  Buffer bytes;
  bool finished = false;
};

/// The uploads of one lane, from their announcement until a call consumes them.
/// Threads: the loop's
class Uploads {
 public:
  Uploads(const LaneLimits& limits, std::shared_ptr<BufferPool> pool)
      : limits_(limits), pool_(std::move(pool)) {}

  /// Errors: already_exists; resource_exhausted past the lane's count or bytes, with both
  Result<wire::ByteSink::Client> begin(std::uint64_t number, std::string name,
                                       program::TensorType type);
  /// Takes a finished upload out.
  /// Errors: not_found; failed_precondition if it is not finished; invalid_argument if it was
  ///         announced under another name or type
  Result<std::shared_ptr<const Upload>> take(std::uint64_t number, const std::string& name,
                                             const program::TensorType& type);
  std::uint64_t bytes() const { return bytes_; }

 private:
  const LaneLimits limits_;
  std::shared_ptr<BufferPool> pool_;  // shared: sinks outlive the lane
  std::map<std::uint64_t, std::shared_ptr<Upload>> uploads_;
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock::executor
