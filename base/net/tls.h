#pragma once

#include <kj/async-io.h>
#include <kj/timer.h>

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/net/identity.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::net {

/// What the other side has to show. A server always shows its certificate; a client does when it
/// has one and the server asks.
enum class PeerCertificate {
  not_asked,  // server only
  reported,   // asked for; whatever comes (or nothing, from a client) is accepted and reported
  required,   // any certificate, but one there must be
  pinned,     // its fingerprint must be in `pins`
};

struct TlsOptions {
  std::optional<Identity> identity;  // a server must have one
  PeerCertificate peer = PeerCertificate::pinned;
  std::set<std::string> pins;  // accepted fingerprints, as parse_fingerprint gives them
  Nanoseconds handshake_deadline = 10s;
};

/// TLS 1.3 settings that many connections share.
/// Threads: one loop
class TlsContext final {
 public:
  /// Errors: invalid_argument if the identity does not parse, or if nothing is pinned although the
  /// peer is to be
  static Result<std::unique_ptr<TlsContext>> create(TlsOptions options);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  struct Native;  // OpenSSL's side of it
  const Native& native() const { return *native_; }
  const TlsOptions& options() const { return options_; }

 private:
  TlsContext(TlsOptions options, std::unique_ptr<Native> native);
  TlsOptions options_;
  std::unique_ptr<Native> native_;
};

/// An encrypted stream. An end of the inner stream without the peer's close_notify breaks reads
/// (unavailable): someone has cut the connection.
class TlsStream : public kj::AsyncIoStream {
 public:
  /// Of the peer's certificate; empty if it showed none.
  virtual const std::string& peer_fingerprint() const = 0;
};

/// Dials as the client over `stream`; gives the stream once the server is verified.
/// Errors: unauthenticated on a certificate that is not pinned (the text has both fingerprints),
/// deadline_exceeded, unavailable if the peer goes away, failed_precondition if it speaks no TLS
kj::Promise<kj::Own<TlsStream>> connect_tls(kj::Own<kj::AsyncIoStream> stream,
                                            const TlsContext& context, kj::Timer& timer);

/// The server's side of `connect_tls`.
kj::Promise<kj::Own<TlsStream>> accept_tls(kj::Own<kj::AsyncIoStream> stream,
                                           const TlsContext& context, kj::Timer& timer);

}  // namespace penstock::net
