#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "penstock/executable.h"
#include "penstock/report.h"
#include "schema/program/program.h"
#include "sdk/src/call_window.h"
#include "sdk/src/metrics_meter.h"

namespace penstock::detail {

class LaneWire;
class LeaseCore;

enum class CallKind {
  run,
  repeat,
  step,
  forward_backward,
  optimizer_step,
  evaluate,
  read_variable,
  write_variable,
};
std::string_view name(CallKind kind);

struct LaneReply;

/// How an entry is run again and again.
struct Repeat {
  std::uint64_t most = 1;
  std::string until;                      // a bool output, or empty
  std::function<bool(LaneReply)> on_run;  // on the loop; false ends the repetition
};

/// One numbered call, before it is sent.
struct LaneCall {
  CallKind kind = CallKind::run;
  std::string name;  // entry or variable
  Tensors inputs;    // write_variable: one
  std::int64_t rows = 0;
  Repeat repeat = {};

  std::int64_t bytes() const;
  /// "evaluate", "run of entry main", "read of variable w"
  std::string text() const;
};

/// What the leader answers.
struct LaneReply {
  Tensors outputs;  // read_variable: one
  TimeSplit time;
  Usage usage;
  std::uint64_t step = 0;
};

/// An ordered sequence of numbered calls: the part that trainers and executables share.
/// Threads: any
class Lane final {
 public:
  /// `wire` is the loop's part; `entry` is the one that a trainer's batches are for.
  Lane(std::shared_ptr<LeaseCore> lease, std::unique_ptr<LaneWire> wire, program::Program program,
       Nanoseconds round_trip);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  using Done = std::function<void(Result<LaneReply>)>;

  /// Numbers the call and hands it to the loop; `done` runs there, once.
  /// Errors: Exception with the lane's first error, or deadline_exceeded if the window stays full
  void submit(LaneCall call, Done done);

  /// Starts a call on a batch, checked against the entry's inputs.
  /// Errors: Exception with invalid_argument, which leaves the lane as it was
  void call_entry(CallKind kind, std::string_view entry, const Tensors& inputs, Done done,
                  Repeat repeat = {});

  Tensor read(std::string_view variable);
  void write(std::string_view variable, const Tensor& value);
  std::vector<VariableInfo> variables();
  void finish();
  /// Ends every call that has no answer, and all later ones, with `cancelled`.
  void cancel();
  Metrics progress() const;
  const program::Program& program() const { return program_; }

 private:
  void answered(const LaneCall& call, const Result<LaneReply>& reply, Nanoseconds elapsed);

  const std::shared_ptr<LeaseCore> lease_;  // keeps the connection for as long as its lanes
  std::unique_ptr<LaneWire> wire_;          // the loop's
  const program::Program program_;
  CallWindow window_;
  MetricsMeter meter_;
  std::mutex order_;  // held from a call's numbering to its post
};

}  // namespace penstock::detail
