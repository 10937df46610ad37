#pragma once

#include <kj/async.h>
#include <kj/function.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/net/coroutine.h"
#include "base/net/event_loop.h"
#include "base/net/rpc_error.h"
#include "penstock/future.h"

namespace penstock::detail {

/// The background thread that does a client's talking. Work is posted to it and runs there in the
/// order of the posts. What lives on its loop must be destroyed there, before it.
/// Threads: any, except as noted
class LoopThread final : public kj::TaskSet::ErrorHandler {
 public:
  static Result<std::unique_ptr<LoopThread>> start();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  /// Runs what was posted, then stops. Threads: not its own
  ~LoopThread();

  void post(kj::Function<void()> work);

  /// Runs `work` on the loop and waits for what it returns or promises.
  /// Errors: what it throws; deadline_exceeded naming `what`, and the promise is dropped
  template <class Work>
  auto call(std::string what, Nanoseconds deadline, Work work)
      -> Result<kj::_::UnwrapPromise<kj::PromiseForResult<Work, void>>> {
    using T = kj::_::UnwrapPromise<kj::PromiseForResult<Work, void>>;
    Promise<void> done(what);
    const Future<void> future = done.future();
    // Shared: the caller may give up waiting before the loop has an answer.
    auto slot = std::make_shared<std::optional<Result<T>>>();
    post([this, what, deadline, work = kj::mv(work), slot, done = std::move(done)]() mutable {
      auto promise = kj::evalNow([&work]() { return promised(work); });
      auto settled =
          net::settle(net::with_deadline<T>(loop().timer(), deadline, kj::mv(promise), what));
      tasks().add(settled.then([slot, done = std::move(done)](Result<T>&& result) mutable {
        slot->emplace(std::move(result));
        done.fill({});
      }));
    });
    PENSTOCK_TRY(future.try_get(deadline + kGrace));
    return *std::move(*slot);
  }

  /// Threads: its own
  net::EventLoop& loop() { return *loop_; }
  kj::TaskSet& tasks() { return *tasks_; }
  void taskFailed(kj::Exception&& exception) override;

 private:
  /// The loop is never that late; if it is, the caller gets an error instead of a hang.
  static constexpr Nanoseconds kGrace = 10s;

  template <class Work>
  static kj::PromiseForResult<Work, void> promised(Work& work) {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return kj::READY_NOW;
    } else {
      return work();
    }
  }

  LoopThread() = default;
  void main(Promise<void> started);
  void serve();
  std::vector<kj::Function<void()>> take_posted();

  std::mutex mutex_;
  std::vector<kj::Function<void()>> posted_;                           // guarded by mutex_
  kj::Maybe<kj::Own<kj::CrossThreadPromiseFulfiller<void>>> sleeper_;  // guarded by mutex_
  bool stopping_ = false;                                              // guarded by mutex_
  std::unique_ptr<net::EventLoop> loop_;                               // its own thread's
  kj::Own<kj::TaskSet> tasks_;                                         // its own thread's
  std::thread thread_;
};

}  // namespace penstock::detail
