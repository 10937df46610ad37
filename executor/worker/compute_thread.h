#pragma once

#include <functional>
#include <thread>

#include "executor/worker/bounded_queue.h"

namespace penstock::executor {

/// The thread that computes: runs what it is given, in order.
class ComputeThread final {
 public:
  ComputeThread();
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;
  /// Finishes what is queued.
  ~ComputeThread();

  /// Threads: any. False if far too much is queued, which the leader's window prevents.
  bool post(std::function<void()> task) { return tasks_.push(std::move(task)); }

 private:
  void run();

  BoundedQueue<std::function<void()>> tasks_;
  std::thread thread_;  // last: it uses the queue
};

}  // namespace penstock::executor
