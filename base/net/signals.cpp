#include "base/net/signals.h"

#include <deque>
#include <list>

#include "base/net/uv_event_port.h"

namespace penstock::net {

class SignalWatcher::Impl {
 public:
  Impl(uv_loop_t& loop, std::initializer_list<int> signal_numbers) {
    for (int number : signal_numbers) {
      auto& handle = handles_.emplace_back();
      check_uv(uv_signal_init(&loop, handle.get()), "uv_signal_init");
      handle.opened(this);
      check_uv(uv_signal_start(handle.get(), arrived, number), "uv_signal_start");
    }
  }

  kj::Promise<int> next() {
    if (!waiting_.empty()) {
      const int number = waiting_.front();
      waiting_.pop_front();
      return number;
    }
    auto pair = kj::newPromiseAndFulfiller<int>();
    fulfiller_ = kj::mv(pair.fulfiller);
    return kj::mv(pair.promise);
  }

 private:
  static void arrived(uv_signal_t* handle, int number) {
    auto* self = static_cast<Impl*>(handle->data);
    if (self == nullptr) return;
    KJ_IF_MAYBE (fulfiller, self->fulfiller_) {
      auto owned = kj::mv(*fulfiller);
      self->fulfiller_ = nullptr;
      if (owned->isWaiting()) {
        owned->fulfill(kj::mv(number));
        return;
      }
    }
    constexpr std::size_t kWaitingMax = 16;
    if (self->waiting_.size() < kWaitingMax) self->waiting_.push_back(number);
  }

  std::list<UvHandle<uv_signal_t>> handles_;
  std::deque<int> waiting_;
  kj::Maybe<kj::Own<kj::PromiseFulfiller<int>>> fulfiller_;
};

SignalWatcher::SignalWatcher(EventLoop& loop, std::initializer_list<int> signal_numbers)
    : impl_(std::make_unique<Impl>(loop.uv(), signal_numbers)) {}
SignalWatcher::~SignalWatcher() = default;

kj::Promise<int> SignalWatcher::next() {
  return impl_->next();
}

}  // namespace penstock::net
