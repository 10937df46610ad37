#include "sdk/src/loop_thread.h"

#include <utility>

namespace penstock::detail {

Result<std::unique_ptr<LoopThread>> LoopThread::start() {
  std::unique_ptr<LoopThread> self(new LoopThread());
  Promise<void> started("start of the client's thread");
  const Future<void> future = started.future();
  self->thread_ = std::thread([raw = self.get(), started = std::move(started)]() mutable {
    raw->main(std::move(started));
  });
  PENSTOCK_TRY(future.try_get());
  return self;
}

LoopThread::~LoopThread() {
  post([this]() {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  });
  thread_.join();
}

void LoopThread::post(kj::Function<void()> work) {
  std::lock_guard lock(mutex_);
  posted_.push_back(kj::mv(work));
  KJ_IF_MAYBE (sleeper, sleeper_) {
    (*sleeper)->fulfill();
    sleeper_ = nullptr;
  }
}

void LoopThread::main(Promise<void> started) {
  auto loop = net::EventLoop::create();
  if (!loop.ok()) {
    started.fill(std::move(loop).error());
    std::lock_guard lock(mutex_);
    posted_.clear();
    return;
  }
  loop_ = std::move(loop).value();
  tasks_ = kj::heap<kj::TaskSet>(*this);
  started.fill({});
  serve();
  tasks_ = nullptr;
  loop_ = nullptr;
}

std::vector<kj::Function<void()>> LoopThread::take_posted() {
  std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

void LoopThread::serve() {
  while (true) {
    std::vector<kj::Function<void()>> work = take_posted();
    for (auto& one : work) {
      KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&one]() { one(); })) {
        taskFailed(kj::mv(*exception));
      }
    }
    if (!work.empty()) continue;
    auto wake = kj::newPromiseAndCrossThreadFulfiller<void>();
    {
      std::lock_guard lock(mutex_);
      if (!posted_.empty()) continue;
      if (stopping_) return;
      sleeper_ = kj::mv(wake.fulfiller);
    }
    wake.promise.wait(loop_->wait_scope());
  }
}

void LoopThread::taskFailed(kj::Exception&&) {
  // Every task reports its own failure to whoever waits for it before it gets here.
}

}  // namespace penstock::detail
