#include "executor/worker/compute_thread.h"

#include "executor/worker/limits.h"

namespace penstock::executor {
namespace {

constexpr std::size_t kTasksMax = 1024;

}  // namespace

ComputeThread::ComputeThread() : tasks_(kTasksMax), thread_([this] { run(); }) {}

ComputeThread::~ComputeThread() {
  tasks_.close();
  thread_.join();
}

void ComputeThread::run() {
  for (;;) {
    if (auto task = tasks_.pop(kSleepMax))
      (*task)();
    else if (tasks_.closed())
      return;
  }
}

}  // namespace penstock::executor
