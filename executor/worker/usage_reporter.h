#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>

#include "base/ids.h"
#include "base/log.h"
#include "base/units.h"
#include "schema/wire/convert.h"
#include "schema/wire/executor.capnp.h"

namespace penstock::executor {

/// Tells the gateway what a lease has used, in batches. A report that was not answered is repeated
/// under its own number, so that it counts once.
/// Threads: the loop's
class UsageReporter final {
 public:
  struct Options {
    LeaseId lease;
    Epoch epoch;
    Nanoseconds period = 200ms;
    Nanoseconds retry_after_max = 5s;
    Nanoseconds answer_deadline = 10s;
  };
  UsageReporter(Options options, wire::UsageSink::Client sink, kj::Timer& timer, Log& log);

  void add(const wire::CallUsage& usage);
  /// When everything so far has been reported: for a bill, and at the end of a lease. What comes
  /// later is reported as before.
  kj::Promise<void> flush();

 private:
  kj::Promise<void> report(Nanoseconds delay);
  kj::Promise<void> send();
  kj::Promise<void> after(kj::Promise<void> sent);
  void go_on(kj::Promise<void> reporting);

  const Options options_;
  wire::UsageSink::Client sink_;
  kj::Timer& timer_;
  Log& log_;
  wire::CallUsage collected_;  // since the last report began
  wire::CallUsage sending_;
  std::uint64_t sequence_ = 0;  // of `sending_`
  bool in_flight_ = false;      // `sending_` is not acknowledged yet
  Nanoseconds retry_after_{};
  bool running_ = false;  // `loop_` will report what is collected
  kj::Promise<void> loop_ = kj::READY_NOW;
};

}  // namespace penstock::executor
