#include "executor/worker/backend_choice.h"

#include "executor/runtime/cpu/cpu_backend.h"
#include "executor/runtime/null/null_backend.h"

namespace penstock::executor {

Result<BackendFactory> choose_backend(const BackendChoice& choice) {
  if (choice.kind == "cpu")
    return BackendFactory([threads = choice.threads](std::int64_t memory_bytes) {
      return std::unique_ptr<runtime::Backend>(std::make_unique<runtime::CpuBackend>(
          runtime::CpuBackend::Options{.threads = threads, .memory_bytes = memory_bytes}));
    });
  if (choice.kind == "null") {
    runtime::NullBackend::Options options;
    options.flop_per_second = choice.null_flops;
    if (choice.null_time == BackendChoice::NullTime::sleep)
      options.pace = runtime::NullBackend::Pace::modelled;
    return BackendFactory([options](std::int64_t memory_bytes) {
      auto sized = options;
      sized.memory_bytes = memory_bytes;
      return std::unique_ptr<runtime::Backend>(std::make_unique<runtime::NullBackend>(sized));
    });
  }
  return invalid("backend '" + choice.kind + "': there are cpu and null");
}

}  // namespace penstock::executor
