#include "base/net/low_level_provider.h"

#include <errno.h>
#include <kj/debug.h>
#include <sys/socket.h>

#include "base/net/fd_listener.h"
#include "base/net/fd_stream.h"

namespace penstock::net {

kj::Own<kj::AsyncInputStream> LowLevelProvider::wrapInputFd(int fd, kj::uint flags) {
  return kj::heap<FdStream>(loop_, fd, flags);
}

kj::Own<kj::AsyncOutputStream> LowLevelProvider::wrapOutputFd(int fd, kj::uint flags) {
  return kj::heap<FdStream>(loop_, fd, flags);
}

kj::Own<kj::AsyncIoStream> LowLevelProvider::wrapSocketFd(int fd, kj::uint flags) {
  return kj::heap<FdStream>(loop_, fd, flags);
}

kj::Own<kj::AsyncCapabilityStream> LowLevelProvider::wrapUnixSocketFd(int fd, kj::uint flags) {
  return kj::heap<FdStream>(loop_, fd, flags);
}

kj::Promise<kj::Own<kj::AsyncIoStream>> LowLevelProvider::wrapConnectingSocketFd(
    int fd, const sockaddr* address, kj::uint length, kj::uint flags) {
  auto stream = kj::heap<FdStream>(loop_, fd, flags);
  if (::connect(fd, address, length) < 0 && errno != EINPROGRESS && errno != EINTR) {
    KJ_FAIL_SYSCALL("connect()", errno);
  }
  auto connected = stream->when_connected();
  return connected.then([stream = kj::mv(stream)]() mutable -> kj::Own<kj::AsyncIoStream> {
    int error = 0;
    kj::uint size = sizeof(error);
    stream->getsockopt(SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) KJ_FAIL_SYSCALL("connect()", error);
    return kj::mv(stream);
  });
}

kj::Own<kj::ConnectionReceiver> LowLevelProvider::wrapListenSocketFd(int fd, NetworkFilter& filter,
                                                                     kj::uint flags) {
  return kj::heap<FdListener>(loop_, fd, filter, flags);
}

}  // namespace penstock::net
