#pragma once

#include <kj/async-io.h>

struct uv_loop_s;

namespace penstock::net {

/// Wraps file descriptors into our loop; kj::newAsyncIoProvider() builds networks, DNS, pipes and
/// threads on top of it.
class LowLevelProvider final : public kj::LowLevelAsyncIoProvider {
 public:
  LowLevelProvider(uv_loop_s& loop, kj::Timer& timer) : loop_(loop), timer_(timer) {}

  kj::Own<kj::AsyncInputStream> wrapInputFd(int fd, kj::uint flags) override;
  kj::Own<kj::AsyncOutputStream> wrapOutputFd(int fd, kj::uint flags) override;
  kj::Own<kj::AsyncIoStream> wrapSocketFd(int fd, kj::uint flags) override;
  kj::Own<kj::AsyncCapabilityStream> wrapUnixSocketFd(int fd, kj::uint flags) override;
  kj::Promise<kj::Own<kj::AsyncIoStream>> wrapConnectingSocketFd(int fd, const sockaddr* address,
                                                                 kj::uint length,
                                                                 kj::uint flags) override;
  kj::Own<kj::ConnectionReceiver> wrapListenSocketFd(int fd, NetworkFilter& filter,
                                                     kj::uint flags) override;
  kj::Timer& getTimer() override { return timer_; }

 private:
  uv_loop_s& loop_;
  kj::Timer& timer_;
};

}  // namespace penstock::net
