#include "base/net/fd_watcher.h"

#include <poll.h>

#include <array>

#include "base/net/uv_event_port.h"

namespace penstock::net {

class FdWatcher::Impl {
 public:
  Impl(uv_loop_t& loop, int fd) : fd_(fd) {
    check_uv(uv_poll_init(&loop, handle_.get(), fd), "uv_poll_init");
    handle_.opened(this);
  }

  kj::Promise<void> want(int event) {
    auto pair = kj::newPromiseAndFulfiller<void>();
    waiter(event) = kj::mv(pair.fulfiller);
    wanted_ |= event;
    if ((armed_ & event) == 0) arm(armed_ | event);
    return kj::mv(pair.promise);
  }

 private:
  using Waiter = kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>>;

  Waiter& waiter(int event) {
    return event == UV_READABLE ? waiters_[0] : event == UV_WRITABLE ? waiters_[1] : waiters_[2];
  }

  /// Starting costs two system calls, so what was asked for stays armed until an event comes that
  /// nobody waits for.
  void arm(int events) {
    armed_ = events;
    if (events == 0) {
      uv_poll_stop(handle_.get());
      return;
    }
    check_uv(uv_poll_start(handle_.get(), events,
                           [](uv_poll_t* handle, int status, int happened) {
                             auto* self = static_cast<Impl*>(handle->data);
                             if (self != nullptr) self->happened(status, happened);
                           }),
             "uv_poll_start");
  }

  void fulfil(int event) {
    wanted_ &= ~event;
    KJ_IF_MAYBE (fulfiller, waiter(event)) {
      auto owned = kj::mv(*fulfiller);
      waiter(event) = nullptr;
      owned->fulfill();
    }
  }

  void happened(int status, int events) {
    if (status < 0) {
      // The descriptor is in error and libuv has stopped: the next system call of each waiter
      // gives the reason.
      armed_ = 0;
      for (int event : {UV_READABLE, UV_WRITABLE, UV_DISCONNECT}) fulfil(event);
      return;
    }
    int unwanted = events & ~wanted_;
    if (events & wanted_ & UV_READABLE) fulfil(UV_READABLE);
    if (events & wanted_ & UV_WRITABLE) {
      unwanted |= UV_WRITABLE;  // writable nearly always: level-triggered it would spin
      fulfil(UV_WRITABLE);
    }
    if (events & wanted_ & UV_DISCONNECT) {
      unwanted |= UV_DISCONNECT;
      // libuv also reports the peer's half close here, after which writing is still fine.
      pollfd state{fd_, 0, 0};
      ::poll(&state, 1, 0);
      if (state.revents & (POLLHUP | POLLERR)) fulfil(UV_DISCONNECT);
    }
    if (armed_ & unwanted) arm(armed_ & ~unwanted);
  }

  int fd_;
  UvHandle<uv_poll_t> handle_;
  int armed_ = 0;
  int wanted_ = 0;
  std::array<Waiter, 3> waiters_;
};

FdWatcher::FdWatcher(uv_loop_t& loop, int fd) : impl_(std::make_unique<Impl>(loop, fd)) {}
FdWatcher::~FdWatcher() = default;

kj::Promise<void> FdWatcher::when_readable() {
  return impl_->want(UV_READABLE);
}
kj::Promise<void> FdWatcher::when_writable() {
  return impl_->want(UV_WRITABLE);
}
kj::Promise<void> FdWatcher::when_hung_up() {
  return impl_->want(UV_DISCONNECT);
}

}  // namespace penstock::net
