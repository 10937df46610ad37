#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "executor/runtime/backend.h"

namespace penstock::executor {

/// Which kind of device a worker stands for.
struct BackendChoice {
  std::string kind = "cpu";  // "cpu", or "null": computes nothing, for tests and simulation
  int threads = 1;
  double null_flops = 1e11;  // null: speed of its cost model
  enum class NullTime { count, sleep } null_time = NullTime::count;
};

/// Makes backends of the chosen kind with so many bytes of the device's memory each.
using BackendFactory = std::function<std::unique_ptr<runtime::Backend>(std::int64_t memory_bytes)>;

/// Errors: invalid_argument for an unknown kind, naming those that there are
Result<BackendFactory> choose_backend(const BackendChoice& choice);

}  // namespace penstock::executor
