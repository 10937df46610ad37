#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace penstock::cli {

/// Turns the first Ctrl-C into an action and a flag, so that a command can stop in order; the
/// second ends the process at once. Make it before anything that starts threads: they must not take
/// the signal. Threads: one; the action runs on a thread of its own
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  bool requested() const { return requested_; }
  /// Errors: Exception with cancelled, once it is requested
  void check() const;

  /// While this lives, a Ctrl-C runs `action`, also one that came before.
  class Action {
   public:
    Action(Interrupt& interrupt, std::function<void()> action);
    Action(const Action&) = delete;
    Action& operator=(const Action&) = delete;
    ~Action();

   private:
    Interrupt& interrupt_;
  };

 private:
  void watch();

  std::atomic<bool> requested_ = false;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::function<void()> action_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace penstock::cli
