#include "base/net/child_process.h"

#include <errno.h>
#include <kj/io.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/net/fd_watcher.h"
#include "base/net/process_image.h"
#include "base/net/rpc_error.h"

namespace penstock::net {

namespace {

constexpr int kReapMs = 5000;

ExitStatus decode(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* abbreviation = sigabbrev_np(signal);
  return "killed by signal " + std::to_string(signal) +
         (abbreviation == nullptr ? "" : " (" + std::string(abbreviation) + ")");
}

class ChildProcess::Impl {
 public:
  Impl(uv_loop_s& loop, pid_t pid, kj::AutoCloseFd pidfd)
      : pid_(pid), pidfd_(kj::mv(pidfd)), watcher_(loop, pidfd_) {
    exited_ = watch().fork();
  }
  ~Impl() {
    if (status_) return;
    ::kill(-pid_, SIGKILL);
    pollfd ended{pidfd_, POLLIN, 0};
    while (::poll(&ended, 1, kReapMs) < 0 && errno == EINTR) {
    }
    reap();
  }

  pid_t pid() const { return pid_; }
  kj::Promise<ExitStatus> exited() { return exited_.addBranch(); }
  void kill(int signal_number) {
    if (!status_) ::kill(pid_, signal_number);
  }

 private:
  kj::Promise<ExitStatus> watch() {
    return watcher_.when_readable().then([this]() -> kj::Promise<ExitStatus> {
      // The rest of its group goes too. Before reaping, while the number is still its own.
      ::kill(-pid_, SIGKILL);
      reap();
      if (status_) return *status_;
      return watch();
    });
  }

  void reap() {
    int status = 0;
    pid_t result = -1;
    do {
      result = ::waitpid(pid_, &status, WNOHANG);
    } while (result < 0 && errno == EINTR);
    if (result == pid_) status_ = decode(status);
    // Somebody else's waitpid took the status: ended, but how is lost.
    if (result < 0) status_ = ExitStatus{255, 0};
  }

  pid_t pid_;
  std::optional<ExitStatus> status_;
  kj::AutoCloseFd pidfd_;
  FdWatcher watcher_;
  kj::ForkedPromise<ExitStatus> exited_ = nullptr;
};

Result<std::unique_ptr<ChildProcess>> ChildProcess::spawn(EventLoop& loop,
                                                          const ChildOptions& options) {
  PENSTOCK_ASSIGN(const pid_t pid, start_process(options));
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  auto impl = fd < 0
                  ? Result<std::unique_ptr<Impl>>(Error{
                        ErrorCode::internal, "pidfd_open: " + std::string(strerrordesc_np(errno))})
                  : catch_error([&loop, pid, fd]() {
                      return std::make_unique<Impl>(loop.uv(), pid, kj::AutoCloseFd(fd));
                    });
  if (!impl.ok()) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return std::move(impl).error().in("watch " + options.arguments[0]);
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(*impl)));
}

ChildProcess::ChildProcess(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChildProcess::~ChildProcess() = default;

pid_t ChildProcess::pid() const {
  return impl_->pid();
}
kj::Promise<ExitStatus> ChildProcess::exited() {
  return impl_->exited();
}
void ChildProcess::kill(int signal_number) {
  impl_->kill(signal_number);
}

Status die_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the request was in place.
  if (::getppid() == parent) return {};
  return Error{ErrorCode::failed_precondition,
               "the parent process " + std::to_string(parent) + " has ended"};
}

}  // namespace penstock::net
