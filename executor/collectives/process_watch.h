#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace penstock::collectives {

/// A file descriptor, closed at the end.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept;
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// A descriptor that becomes readable when process `pid` ends; none where the kernel has no such
/// descriptors.
/// Errors: unavailable when the process has already ended
Result<Fd> watch_process(std::uint64_t pid);

/// Whether a watched process has ended.
bool has_ended(const Fd& watch);

/// A counter that another thread raises to end a poll.
Result<Fd> open_event();
void raise(const Fd& event);
void lower(const Fd& event);

}  // namespace penstock::collectives
