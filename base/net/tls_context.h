#pragma once

#include "base/net/openssl_handle.h"
#include "base/net/tls.h"

namespace penstock::net {

/// OpenSSL's side of the settings, for both roles.
struct TlsContext::Native {
  SslContextHandle context;
};

enum class TlsRole { client, server };

/// What the certificate check of one connection found; OpenSSL keeps a pointer to it.
struct PeerVerdict {
  const TlsOptions* options = nullptr;
  TlsRole role = TlsRole::client;
  std::string fingerprint;
  std::string refusal;  // empty: accepted
};

/// A connection's state, before its handshake. `verdict` must outlive it.
Result<SslHandle> make_ssl(const TlsContext& context, TlsRole role, PeerVerdict& verdict);

}  // namespace penstock::net
