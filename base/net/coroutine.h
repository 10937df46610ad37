#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <coroutine>
#include <cstdint>
#include <string>
#include <utility>

#include "base/net/rpc_error.h"
#include "base/units.h"

namespace penstock::net {

// Coroutines over kj::Promise. Cap'n Proto 0.9.2 has none, so this leans on kj::_ names.
//
//     Task<int> answer(Client client) { auto reply = co_await client.askRequest().send(); ... }
//     kj::Promise<int> promise = answer(client);
//
// A coroutine starts at once, runs on the loop that called it, and is cancelled (its frame is
// destroyed) when its promise is dropped. What g++ 12 cannot compile: coroutines that return
// kj::Promise itself, and braced lists or string literals turned into kj::StringPtr inside a
// co_await expression (give them a name first). Never let a coroutine be a capturing lambda: the
// captures die with the lambda object.

/// The result of a coroutine; becomes a kj::Promise<T>. Its destructor must not throw, because
/// g++ 12 fails on coroutines whose result type may throw there.
template <class T>
class [[nodiscard]] Task {
 public:
  explicit Task(kj::Promise<T>&& promise) : promise_(kj::mv(promise)) {}
  Task(Task&&) = default;
  Task& operator=(Task&&) = default;
  ~Task() noexcept {}

  operator kj::Promise<T>() && { return kj::mv(promise_); }
  kj::Promise<T> promise() && { return kj::mv(promise_); }
  T wait(kj::WaitScope& scope) && { return promise_.wait(scope); }

 private:
  kj::Promise<T> promise_;
};

namespace coroutine_detail {

/// The coroutine frame is itself the KJ event that the awaited promise arms: an awaiter may not
/// be, since it is destroyed while it fires.
class Frame : public kj::_::Event {
 public:
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void traceEvent(kj::_::TraceBuilder&) override {}

  void wait_for(kj::Own<kj::_::PromiseNode>&& node, kj::_::ExceptionOrValue& result) {
    node_ = kj::mv(node);
    result_ = &result;
    node_->setSelfPointer(&node_);
    node_->onReady(this);
  }
  void stop_waiting() {
    disarm();
    node_ = nullptr;
    result_ = nullptr;
  }

 protected:
  explicit Frame(std::coroutine_handle<> self) : self_(self) {}

 private:
  kj::Maybe<kj::Own<Event>> fire() override {
    node_->get(*result_);
    KJ_IF_MAYBE (e, kj::runCatchingExceptions([this]() { node_ = nullptr; })) {
      result_->addException(kj::mv(*e));
    }
    self_.resume();  // never destroys *this: the frame suspends at its end
    return nullptr;
  }

  std::coroutine_handle<> self_;
  kj::Own<kj::_::PromiseNode> node_;
  kj::_::ExceptionOrValue* result_ = nullptr;
};

template <class U>
class Awaiter {
 public:
  explicit Awaiter(kj::Promise<U>&& promise) : promise_(kj::mv(promise)) {}
  Awaiter(Awaiter&&) = default;
  ~Awaiter() noexcept(false) {
    if (frame_ != nullptr && !done_) frame_->stop_waiting();
  }

  bool await_ready() const noexcept { return false; }
  template <class P>
  void await_suspend(std::coroutine_handle<P> handle) {
    frame_ = &handle.promise();
    frame_->wait_for(kj::_::PromiseNode::from(kj::mv(promise_)), result_);
  }
  U await_resume() {
    done_ = true;
    return kj::_::convertToReturn(kj::mv(result_));
  }

 private:
  kj::Promise<U> promise_;
  Frame* frame_ = nullptr;
  bool done_ = false;
  kj::_::ExceptionOr<kj::_::FixVoid<U>> result_;
};

class FrameOwner {
 public:
  explicit FrameOwner(std::coroutine_handle<> handle) : handle_(handle) {}
  FrameOwner(FrameOwner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  FrameOwner(const FrameOwner&) = delete;
  FrameOwner& operator=(const FrameOwner&) = delete;
  ~FrameOwner() noexcept(false) {
    if (handle_) handle_.destroy();
  }

 private:
  std::coroutine_handle<> handle_;
};

template <class T>
class Returning : public Frame {
 public:
  using Frame::Frame;
  template <class V>
  void return_value(V&& value) {
    fulfiller_->fulfill(T(std::forward<V>(value)));
  }

 protected:
  kj::Own<kj::PromiseFulfiller<T>> fulfiller_;
};

template <>
class Returning<void> : public Frame {
 public:
  using Frame::Frame;
  void return_void() { fulfiller_->fulfill(); }

 protected:
  kj::Own<kj::PromiseFulfiller<void>> fulfiller_;
};

template <class T>
class Coroutine final : public Returning<T> {
  using Handle = std::coroutine_handle<Coroutine>;

 public:
  Coroutine() : Returning<T>(Handle::from_promise(*this)) {}

  Task<T> get_return_object() {
    auto pair = kj::newPromiseAndFulfiller<T>();
    this->fulfiller_ = kj::mv(pair.fulfiller);
    return Task<T>(pair.promise.attach(FrameOwner(Handle::from_promise(*this))));
  }
  void unhandled_exception() {
    KJ_IF_MAYBE (e, kj::runCatchingExceptions([]() { throw; })) {
      this->fulfiller_->reject(kj::mv(*e));
    }
  }

  template <class U>
  Awaiter<U> await_transform(kj::Promise<U>&& promise) {
    return Awaiter<U>(kj::mv(promise));
  }
  template <class U>
  Awaiter<U> await_transform(kj::Promise<U>& promise) {
    return Awaiter<U>(kj::mv(promise));
  }
  template <class U>
  Awaiter<U> await_transform(Task<U>&& task) {
    return Awaiter<U>(kj::mv(task).promise());
  }
};

}  // namespace coroutine_detail

inline kj::Duration to_duration(Nanoseconds span) {
  return span.count() * kj::NANOSECONDS;
}

/// "what: no answer within 5 s", as deadline_exceeded.
Error deadline_error(std::string_view what, Nanoseconds span);

/// `promise`, or deadline_exceeded naming `what` once `span` has passed; `promise` is then
/// cancelled.
template <class T>
kj::Promise<T> with_deadline(kj::Timer& timer, Nanoseconds span, kj::Promise<T> promise,
                             std::string what) {
  return promise.exclusiveJoin(
      timer.afterDelay(to_duration(span)).then([span, what = std::move(what)]() -> kj::Promise<T> {
        return to_exception(deadline_error(what, span));
      }));
}

template <class T>
kj::Promise<T> with_deadline(kj::Timer& timer, Nanoseconds span, Task<T> task, std::string what) {
  return with_deadline(timer, span, kj::mv(task).promise(), std::move(what));
}

}  // namespace penstock::net

template <class T, class... Arguments>
struct std::coroutine_traits<penstock::net::Task<T>, Arguments...> {
  using promise_type = penstock::net::coroutine_detail::Coroutine<T>;
};
