#include "base/net/fd_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <kj/debug.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/net/fd_stream.h"

namespace penstock::net {

namespace {

using Provider = kj::LowLevelAsyncIoProvider;

/// Faults of the connection that was to be accepted, not of the listener.
bool concerns_the_peer_only(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case ENETDOWN:
    case EPROTO:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

}  // namespace

FdListener::FdListener(uv_loop_s& loop, int fd, Provider::NetworkFilter& filter, kj::uint flags)
    : loop_(loop),
      owned_((flags & Provider::TAKE_OWNERSHIP) != 0 ? fd : -1),
      fd_(fd),
      filter_(filter),
      watcher_(loop, fd) {
  if ((flags & Provider::TAKE_OWNERSHIP) != 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

kj::Promise<kj::Own<kj::AsyncIoStream>> FdListener::accept() {
  while (true) {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    auto* peer = reinterpret_cast<sockaddr*>(&address);
    const int fd = ::accept4(fd_, peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      kj::AutoCloseFd owned(fd);
      if (!filter_.shouldAllow(peer, length)) continue;
      return kj::Own<kj::AsyncIoStream>(kj::heap<FdStream>(
          loop_, owned.release(), Provider::TAKE_OWNERSHIP | Provider::ALREADY_CLOEXEC));
    }
    const int error = errno;
    if (error == EAGAIN) {
      return watcher_.when_readable().then([this]() { return accept(); });
    }
    if (!concerns_the_peer_only(error)) KJ_FAIL_SYSCALL("accept4", error);
  }
}

kj::uint FdListener::getPort() {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  KJ_SYSCALL(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length));
  if (address.ss_family == AF_INET)
    return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  }
  return 0;
}

void FdListener::getsockopt(int level, int option, void* value, kj::uint* length) {
  KJ_SYSCALL(::getsockopt(fd_, level, option, value, length));
}

void FdListener::setsockopt(int level, int option, const void* value, kj::uint length) {
  KJ_SYSCALL(::setsockopt(fd_, level, option, value, length));
}

void FdListener::getsockname(sockaddr* address, kj::uint* length) {
  KJ_SYSCALL(::getsockname(fd_, address, length));
}

}  // namespace penstock::net
