#pragma once

#include <kj/async-io.h>

#include <memory>

#include "base/result.h"

struct uv_loop_s;

namespace penstock::net {

/// The event loop of one thread: KJ promises on libuv. Everything made from it (streams, promises,
/// watchers, children) must be gone before it is.
///
///     auto loop = EventLoop::create();
///     serve(**loop).wait((*loop)->wait_scope());
///
/// Threads: the one that made it; other threads reach it through kj::Executor.
class EventLoop final {
 public:
  /// Errors: internal if the system gives no more file descriptors, or if this thread has a loop.
  static Result<std::unique_ptr<EventLoop>> create();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  kj::WaitScope& wait_scope();
  kj::AsyncIoProvider& provider();
  kj::LowLevelAsyncIoProvider& low_level();
  /// Delays count from the call, not from the last time the loop slept.
  kj::Timer& timer();
  /// For parts that watch something else through libuv.
  uv_loop_s& uv();

 private:
  struct Parts;
  explicit EventLoop(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace penstock::net
