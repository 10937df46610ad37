#include "executor/collectives/process_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace penstock::collectives {

Fd::Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Fd& Fd::operator=(Fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) close(fd_);
}

Result<Fd> watch_process(std::uint64_t pid) {
  const long fd = syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0);
  if (fd >= 0) return Fd(static_cast<int>(fd));
  if (errno == ESRCH)
    return Error{ErrorCode::unavailable, "process " + std::to_string(pid) + " has ended"};
  return Fd();
}

bool has_ended(const Fd& watch) {
  pollfd entry{watch.get(), POLLIN, 0};
  return watch && poll(&entry, 1, 0) > 0;
}

Result<Fd> open_event() {
  Fd event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event)
    return Error{ErrorCode::resource_exhausted, std::string("eventfd: ") + std::strerror(errno)};
  return event;
}

void raise(const Fd& event) {
  // A full counter is already readable, which is all that is wanted.
  [[maybe_unused]] const auto written = eventfd_write(event.get(), 1);
}

void lower(const Fd& event) {
  eventfd_t count = 0;
  [[maybe_unused]] const auto read = eventfd_read(event.get(), &count);
}

}  // namespace penstock::collectives
