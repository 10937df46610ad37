#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <atomic>

#include "base/net/uv_handle.h"

namespace penstock::net {

/// Lets kj::Promise::wait() sleep in libuv: KJ stays the outer loop, and every sleep is one
/// uv_run.
class UvEventPort final : public kj::EventPort {
 public:
  /// Errors: throws a kj::Exception if libuv cannot make its handles.
  explicit UvEventPort(uv_loop_t& loop);

  kj::EventLoop& loop() { return kj_loop_; }
  kj::Timer& timer() { return timer_; }
  uv_loop_t& uv() { return uv_; }

  bool wait() override { return run(UV_RUN_ONCE); }
  bool poll() override { return run(UV_RUN_NOWAIT); }
  /// Threads: any
  void wake() const override;

 private:
  /// kj::TimerImpl counts a delay from the last time the loop slept; work since then would eat
  /// into a deadline. This one counts from the call.
  class PromptTimer final : public kj::Timer {
   public:
    explicit PromptTimer(UvEventPort& port) : port_(port) {}
    kj::TimePoint now() const override { return port_.due_.now(); }
    kj::Promise<void> atTime(kj::TimePoint time) override { return port_.due_.atTime(time); }
    kj::Promise<void> afterDelay(kj::Duration delay) override {
      return port_.due_.atTime(port_.clock_.now() + delay);
    }

   private:
    UvEventPort& port_;
  };

  bool run(uv_run_mode mode);
  void before_sleep();

  uv_loop_t& uv_;
  const kj::MonotonicClock& clock_;
  kj::TimerImpl due_;
  PromptTimer timer_{*this};
  kj::EventLoop kj_loop_{*this};
  UvHandle<uv_prepare_t> prepare_;
  UvHandle<uv_timer_t> alarm_;
  UvHandle<uv_async_t> async_;
  kj::Maybe<kj::TimePoint> armed_for_;
  mutable std::atomic<bool> woken_{false};
};

/// Throws what a failed libuv call means. `code` is negative on failure.
void check_uv(int code, const char* operation);

}  // namespace penstock::net
