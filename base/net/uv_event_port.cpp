#include "base/net/uv_event_port.h"

#include <kj/debug.h>
#include <signal.h>

#include <cstdint>
#include <string>

#include "base/net/rpc_error.h"

namespace penstock::net {

void check_uv(int code, const char* operation) {
  if (code >= 0) return;
  throw_error({ErrorCode::internal, std::string(operation) + ": " + uv_strerror(code)});
}

UvEventPort::UvEventPort(uv_loop_t& loop)
    : uv_(loop), clock_(kj::systemPreciseMonotonicClock()), due_(clock_.now()) {
  // A write to a socket whose peer is gone must be an error code, not the end of the process.
  signal(SIGPIPE, SIG_IGN);
  check_uv(uv_prepare_init(&uv_, prepare_.get()), "uv_prepare_init");
  prepare_.opened(this);
  check_uv(uv_timer_init(&uv_, alarm_.get()), "uv_timer_init");
  alarm_.opened(this);
  // This handle also keeps uv_run(UV_RUN_ONCE) asleep while nothing else is watched.
  check_uv(uv_async_init(&uv_, async_.get(), [](uv_async_t*) {}), "uv_async_init");
  async_.opened(this);
  check_uv(
      uv_prepare_start(prepare_.get(),
                       [](uv_prepare_t* h) { static_cast<UvEventPort*>(h->data)->before_sleep(); }),
      "uv_prepare_start");
}

void UvEventPort::wake() const {
  woken_.store(true, std::memory_order_release);
  uv_async_send(async_.get());
}

bool UvEventPort::run(uv_run_mode mode) {
  uv_run(&uv_, mode);
  due_.advanceTo(clock_.now());
  return woken_.exchange(false, std::memory_order_acq_rel);
}

/// Runs inside uv_run right before libuv sleeps. A timer or closing callback earlier in the same
/// turn may have made a promise ready, and EventPort::setRunnable() is not called for it inside
/// Promise::wait(); so the loop itself is asked.
void UvEventPort::before_sleep() {
  if (kj_loop_.isRunnable()) uv_stop(&uv_);
  KJ_IF_MAYBE (next, due_.nextEvent()) {
    bool armed = false;
    KJ_IF_MAYBE (at, armed_for_) {
      armed = *at == *next && alarm_.active();
    }
    if (armed) return;
    uv_update_time(&uv_);  // uv timers count from the loop's cached time
    const std::int64_t ns = (*next - clock_.now()) / kj::NANOSECONDS;
    const std::uint64_t ms = ns <= 0 ? 0 : static_cast<std::uint64_t>(ns + 999'999) / 1'000'000;
    uv_timer_start(
        alarm_.get(), [](uv_timer_t*) {}, ms, 0);
    armed_for_ = *next;
  } else {
    uv_timer_stop(alarm_.get());
    armed_for_ = nullptr;
  }
}

}  // namespace penstock::net
