#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/net/crypto.h"
#include "base/net/event_loop.h"
#include "base/net/identity.h"
#include "base/net/rpc_server.h"
#include "base/net/tls.h"
#include "schema/wire/lane.capnp.h"

namespace penstock::executor {

struct DirectDoorOptions {
  LeaseId lease;
  Epoch epoch;
  ExecutorId executor;
  net::PublicKey ticket_key;
  std::string listen_host;     // "": all addresses of this host
  std::string unix_directory;  // private to this user; "": no Unix socket
  const Clock* wall_clock = nullptr;
};

/// The leader's own port: mutual TLS on TCP with a certificate made for the lease, and a Unix
/// socket for clients on this host. Whoever presents the gateway's ticket gets the leader. Threads:
/// the loop's
class DirectDoor final {
 public:
  /// Errors (broken promise): what listening met
  static kj::Promise<kj::Own<DirectDoor>> open(net::EventLoop& loop, DirectDoorOptions options,
                                               wire::Leader::Client leader, Log& log);
  ~DirectDoor();

  /// Where clients may dial, best first: "unix:/path", then "host:port".
  const std::vector<std::string>& addresses() const { return addresses_; }
  const std::string& fingerprint() const { return identity_.fingerprint; }

  /// Used by `open`.
  DirectDoor(net::EventLoop& loop, DirectDoorOptions options, net::Identity identity, Log& log)
      : loop_(loop), options_(std::move(options)), identity_(std::move(identity)), log_(log) {}

 private:
  void serve(kj::Own<kj::ConnectionReceiver> listener, const net::TlsContext* tls,
             wire::Leader::Client leader);
  kj::Promise<void> listen_tcp(wire::Leader::Client leader);
  kj::Promise<void> listen_unix(wire::Leader::Client leader);

  net::EventLoop& loop_;
  const DirectDoorOptions options_;
  const net::Identity identity_;
  Log& log_;
  std::unique_ptr<net::TlsContext> tls_;
  std::string unix_path_;
  std::vector<std::unique_ptr<net::RpcServer>> servers_;
  std::vector<std::string> addresses_;
};

/// Serves one connection: checks the ticket against the lease and against the connection's own
/// certificate.
wire::DirectDoor::Client make_door(const DirectDoorOptions& options, net::PeerInfo peer,
                                   wire::Leader::Client leader);

}  // namespace penstock::executor
