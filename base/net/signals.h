#pragma once

#include <kj/async.h>

#include <initializer_list>
#include <memory>

#include "base/net/event_loop.h"

namespace penstock::net {

/// Receives signals as promises instead of being killed by them, while it lives.
///
///     SignalWatcher signals(loop, {SIGTERM, SIGINT});
///     int which = signals.next().wait(loop.wait_scope());
///
/// Threads: the loop's
class SignalWatcher final {
 public:
  SignalWatcher(EventLoop& loop, std::initializer_list<int> signal_numbers);
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;
  ~SignalWatcher();

  /// The next signal's number; one that came before the call counts. One wait at a time.
  kj::Promise<int> next();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::net
