#pragma once

#include <capnp/capability.h>
#include <kj/async-io.h>

#include <memory>
#include <string>

#include "base/net/address.h"
#include "base/net/event_loop.h"
#include "base/net/message_stream.h"
#include "base/net/tls.h"

namespace penstock::net {

struct RpcClientOptions {
  Nanoseconds deadline = 10s;       // of name look-up, connection and TLS handshake together
  const TlsContext* tls = nullptr;  // null: plain. Used until connected
  MessageLimits messages;
  std::size_t pooled_bytes_max = 64 * kMiB;
  std::size_t flow_limit_bytes = 64 * kMiB;  // of calls that the peer makes to us
  unsigned fds_per_message_max = 0;          // above 0 for Unix sockets without TLS only
  Nanoseconds unacknowledged_max = 30s;      // then a TCP peer counts as gone
};

/// A connection to an RPC server. Dropping it breaks every capability that came through it.
/// Threads: the loop's
class RpcConnection final {
 public:
  /// Errors: unavailable if nobody answers there, deadline_exceeded, unauthenticated (see
  /// connect_tls)
  static kj::Promise<kj::Own<RpcConnection>> connect(EventLoop& loop, const Address& address,
                                                     RpcClientOptions options);
  /// Over a stream that is connected already, such as one end of a socket pair.
  static kj::Own<RpcConnection> over(kj::Own<kj::AsyncIoStream> stream,
                                     const RpcClientOptions& options);

  RpcConnection(const RpcConnection&) = delete;
  RpcConnection& operator=(const RpcConnection&) = delete;
  ~RpcConnection();

  /// What the server gives to a new peer. Calls may be made on it at once.
  capnp::Capability::Client bootstrap();
  /// When the connection has ended, for whatever reason. Any number of waits.
  kj::Promise<void> on_disconnect();
  const std::string& peer_fingerprint() const;

  class Impl;
  explicit RpcConnection(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::net
