#pragma once

#include <capnp/capability.h>
#include <kj/async-io.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/net/address.h"
#include "base/net/event_loop.h"
#include "base/net/message_stream.h"
#include "base/net/tls.h"

namespace penstock::net {

/// Who is at the other end of a connection.
struct PeerInfo {
  std::string address;           // for people, as in peer_name()
  std::string fingerprint;       // of its TLS certificate; empty if it showed none
  std::uint64_t connection = 0;  // 1, 2, ... for this server
};

struct RpcServerOptions {
  std::size_t connections_max = 1024;
  /// Of one connection: bytes of calls that are not answered yet. Beyond it nothing more is read.
  std::size_t flow_limit_bytes = 64 * kMiB;
  MessageLimits messages;
  std::size_t pooled_bytes_max = 64 * kMiB;  // receive buffers kept by the whole server
  const TlsContext* tls = nullptr;           // null: plain. Must outlive the server
  unsigned fds_per_message_max = 0;          // above 0 for Unix sockets without TLS only
  Nanoseconds unacknowledged_max = 30s;      // then a TCP peer counts as gone
};

/// Listens on "host:port" or "unix:/path". A socket file whose owner is gone is replaced.
/// Errors: already_exists if somebody listens there, unavailable if the name does not resolve
kj::Promise<kj::Own<kj::ConnectionReceiver>> listen(EventLoop& loop, const Address& address);

/// Serves Cap'n Proto to every connection of one listener. What breaks on a connection ends that
/// connection only; what is refused above `connections_max` sees its connection closed.
/// Threads: the loop's
class RpcServer final {
 public:
  /// Makes what a new peer gets; an exception from it closes that connection.
  using Bootstrap = std::function<capnp::Capability::Client(const PeerInfo&)>;

  RpcServer(EventLoop& loop, kj::Own<kj::ConnectionReceiver> listener, Bootstrap bootstrap,
            RpcServerOptions options, Log& log);
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;
  /// Closes every connection; what their calls hold is released.
  ~RpcServer();

  unsigned port() const;
  /// Open connections, those in their TLS handshake included.
  std::size_t connection_count() const;
  std::uint64_t refused_count() const;
  /// Accepts no more; open connections go on.
  void stop_accepting();
  /// When no connection is open.
  kj::Promise<void> drained();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::net
