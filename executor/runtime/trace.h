#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/result.h"
#include "executor/runtime/runner.h"

namespace penstock::runtime {

/// Writes stamps as Chrome trace events, for chrome://tracing or ui.perfetto.dev: one process per
/// rank, one thread per stream (compute 0, communicate 1), microseconds of the runner's clock.
/// Threads: one
class TraceFile {
 public:
  /// Errors: unavailable naming the path if the file cannot be written.
  static Result<std::unique_ptr<TraceFile>> open(const std::string& path, std::int64_t rank);
  /// Completes the file.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void add(const Stamp& stamp);

 private:
  TraceFile(std::FILE* file, std::int64_t rank) : file_(file), rank_(rank) {}
  std::FILE* file_;
  std::int64_t rank_;
};

/// One event as JSON, without a line end.
std::string trace_event(const Stamp& stamp, std::int64_t rank);

}  // namespace penstock::runtime
