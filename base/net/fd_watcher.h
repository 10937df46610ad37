#pragma once

#include <kj/async.h>

#include <memory>

struct uv_loop_s;

namespace penstock::net {

/// Tells when a file descriptor is ready. One per descriptor and loop; the descriptor becomes
/// non-blocking and must outlive the watcher. Dropping a promise stops that wait.
/// Threads: the loop's
class FdWatcher {
 public:
  /// Errors: throws a kj::Exception if the descriptor cannot be polled (a regular file), or is
  /// already watched in this loop.
  FdWatcher(uv_loop_s& loop, int fd);
  FdWatcher(const FdWatcher&) = delete;
  FdWatcher& operator=(const FdWatcher&) = delete;
  ~FdWatcher();

  kj::Promise<void> when_readable();
  kj::Promise<void> when_writable();
  /// When writing has become useless: the peer has closed both ways, or the socket is broken.
  kj::Promise<void> when_hung_up();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::net
