#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace penstock::executor {

/// Which call of which lane a stamp belongs to.
struct TraceCall {
  std::uint64_t lane = 0;
  std::uint64_t sequence = 0;  // of the command, the same on every rank
  std::string_view entry;
};

struct TraceSpan {
  std::string_view label;
  std::string_view stream;  // "compute", "communicate"
  std::int64_t micro = 0;
  Instant begin, end;
};

/// Begin and end of every instruction, and the arrival of every chunk of a collective, in the trace
/// event format that Perfetto and chrome://tracing open: one JSON object a line.
/// Threads: any
class TraceFile {
 public:
  /// Errors: permission_denied if the file cannot be written
  static Result<std::unique_ptr<TraceFile>> create(const std::string& path);

  void set_rank(std::uint32_t rank);
  void span(const TraceCall& call, const TraceSpan& span);
  void chunk(std::string_view label, std::uint32_t peer, std::uint64_t bytes, Instant at);
  void flush();

 private:
  explicit TraceFile(std::ofstream out) : out_(std::move(out)) {}
  std::mutex mutex_;
  std::ofstream out_;
  std::uint32_t rank_ = 0;
};

}  // namespace penstock::executor
