#include "base/net/event_loop.h"

#include <string>

#include "base/net/low_level_provider.h"
#include "base/net/rpc_error.h"
#include "base/net/uv_event_port.h"

namespace penstock::net {

namespace {

/// The libuv loop, closed after every handle in it has been.
class UvLoop {
 public:
  UvLoop() { check_uv(uv_loop_init(&loop_), "uv_loop_init"); }
  UvLoop(const UvLoop&) = delete;
  UvLoop& operator=(const UvLoop&) = delete;
  ~UvLoop() {
    // Each turn runs the close callbacks of the turn before. What is still open then belongs to
    // something that outlives the loop.
    int result = uv_loop_close(&loop_);
    for (int turn = 0; turn < 16 && result == UV_EBUSY; ++turn) {
      uv_run(&loop_, UV_RUN_NOWAIT);
      result = uv_loop_close(&loop_);
    }
    PENSTOCK_CHECK(result == 0, "something made from the event loop outlives it");
  }
  uv_loop_t& get() { return loop_; }

 private:
  uv_loop_t loop_{};
};

}  // namespace

struct EventLoop::Parts {
  UvLoop uv;
  UvEventPort port{uv.get()};
  kj::WaitScope scope{port.loop()};
  LowLevelProvider low_level{uv.get(), port.timer()};
  kj::Own<kj::AsyncIoProvider> provider = kj::newAsyncIoProvider(low_level);
};

Result<std::unique_ptr<EventLoop>> EventLoop::create() {
  auto parts = catch_error([]() { return std::make_unique<Parts>(); });
  if (!parts.ok()) return std::move(parts).error().in("event loop");
  return std::unique_ptr<EventLoop>(new EventLoop(std::move(*parts)));
}

EventLoop::EventLoop(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
EventLoop::~EventLoop() = default;

kj::WaitScope& EventLoop::wait_scope() {
  return parts_->scope;
}
kj::AsyncIoProvider& EventLoop::provider() {
  return *parts_->provider;
}
kj::LowLevelAsyncIoProvider& EventLoop::low_level() {
  return parts_->low_level;
}
kj::Timer& EventLoop::timer() {
  return parts_->port.timer();
}
uv_loop_t& EventLoop::uv() {
  return parts_->uv.get();
}

}  // namespace penstock::net
