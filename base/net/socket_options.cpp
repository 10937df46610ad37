#include "base/net/socket_options.h"

#include <arpa/inet.h>
#include <kj/debug.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <climits>

namespace penstock::net {

namespace {

struct PeerAddress {
  sockaddr_storage storage{};
  kj::uint length = sizeof(sockaddr_storage);
};

/// False where the stream has no such notion.
bool get_peer(kj::AsyncIoStream& stream, PeerAddress& peer) {
  auto failure = kj::runCatchingExceptions([&stream, &peer]() {
    stream.getpeername(reinterpret_cast<sockaddr*>(&peer.storage), &peer.length);
  });
  return failure == nullptr;
}

std::string unix_name(const PeerAddress& peer) {
  const auto& address = reinterpret_cast<const sockaddr_un&>(peer.storage);
  if (peer.length <= offsetof(sockaddr_un, sun_path) || address.sun_path[0] == '\0') {
    return "unix peer";
  }
  return "unix:" + std::string(address.sun_path);
}

}  // namespace

std::string peer_name(kj::AsyncIoStream& stream) {
  PeerAddress peer;
  if (!get_peer(stream, peer)) return "a pipe";
  std::array<char, INET6_ADDRSTRLEN> text{};
  switch (peer.storage.ss_family) {
    case AF_INET: {
      const auto& address = reinterpret_cast<const sockaddr_in&>(peer.storage);
      inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
      return std::string(text.data()) + ":" + std::to_string(ntohs(address.sin_port));
    }
    case AF_INET6: {
      const auto& address = reinterpret_cast<const sockaddr_in6&>(peer.storage);
      inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
      return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(address.sin6_port));
    }
    case AF_UNIX:
      return unix_name(peer);
    default:
      return "a pipe";
  }
}

void tune_for_rpc(kj::AsyncIoStream& stream, Nanoseconds unacknowledged_max) {
  PeerAddress peer;
  if (!get_peer(stream, peer)) return;
  if (peer.storage.ss_family != AF_INET && peer.storage.ss_family != AF_INET6) return;
  const int on = 1;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(unacknowledged_max).count();
  const auto timeout = static_cast<unsigned int>(std::clamp<std::int64_t>(ms, 1, INT_MAX));
  // Refused only if the connection is dead already, which the first read reports better.
  auto ignored = kj::runCatchingExceptions([&stream, &on, &timeout]() {
    stream.setsockopt(IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    stream.setsockopt(IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
    stream.setsockopt(SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  });
}

}  // namespace penstock::net
