#include "sdk/cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "penstock/error.h"
#include "sdk/cli/arguments.h"

namespace penstock::cli {
namespace {

sigset_t interrupt_set() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = interrupt_set();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
  const sigset_t signals = interrupt_set();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

void Interrupt::watch() {
  const sigset_t signals = interrupt_set();
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (ending_) return;
    if (requested_.exchange(true)) _exit(static_cast<int>(ExitCode::interrupted));
    std::cerr << "penstock: stopping; Ctrl-C again ends at once" << std::endl;
    std::lock_guard lock(mutex_);
    if (action_) action_();
  }
}

void Interrupt::check() const {
  if (requested_) throw Exception({ErrorCode::cancelled, "stopped by Ctrl-C"});
}

Interrupt::Action::Action(Interrupt& interrupt, std::function<void()> action)
    : interrupt_(interrupt) {
  std::lock_guard lock(interrupt_.mutex_);
  if (interrupt_.requested_) action();
  interrupt_.action_ = std::move(action);
}

Interrupt::Action::~Action() {
  std::lock_guard lock(interrupt_.mutex_);
  interrupt_.action_ = nullptr;
}

}  // namespace penstock::cli
