#pragma once

#include <kj/async-io.h>
#include <kj/io.h>

#include "base/net/fd_watcher.h"

namespace penstock::net {

/// Accepts connections from a listening socket in our loop.
class FdListener final : public kj::ConnectionReceiver {
 public:
  FdListener(uv_loop_s& loop, int fd, kj::LowLevelAsyncIoProvider::NetworkFilter& filter,
             kj::uint flags);

  kj::Promise<kj::Own<kj::AsyncIoStream>> accept() override;
  kj::uint getPort() override;
  void getsockopt(int level, int option, void* value, kj::uint* length) override;
  void setsockopt(int level, int option, const void* value, kj::uint length) override;
  void getsockname(sockaddr* address, kj::uint* length) override;

 private:
  uv_loop_s& loop_;
  kj::AutoCloseFd owned_;
  int fd_;
  kj::LowLevelAsyncIoProvider::NetworkFilter& filter_;
  FdWatcher watcher_;
};

}  // namespace penstock::net
