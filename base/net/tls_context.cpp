#include "base/net/tls_context.h"

#include "base/net/x509_fingerprint.h"

namespace penstock::net {

namespace {

/// Replaces OpenSSL's chain building: a peer is its fingerprint.
int verify_peer(X509_STORE_CTX* store, void*) {
  const int index = SSL_get_ex_data_X509_STORE_CTX_idx();
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, index));
  auto* verdict = static_cast<PeerVerdict*>(SSL_get_app_data(ssl));
  X509* certificate = X509_STORE_CTX_get0_cert(store);
  if (certificate == nullptr) return 0;
  verdict->fingerprint = x509_fingerprint(*certificate);
  const TlsOptions& options = *verdict->options;
  if (options.peer != PeerCertificate::pinned || options.pins.count(verdict->fingerprint) > 0) {
    X509_STORE_CTX_set_error(store, X509_V_OK);
    return 1;
  }
  std::string pins;
  for (const std::string& pin : options.pins) pins += (pins.empty() ? "" : " or ") + pin;
  verdict->refusal = "the peer shows a certificate with fingerprint " + verdict->fingerprint +
                     ", but " + pins +
                     " is pinned here; if the peer was set up anew, pin the new fingerprint, "
                     "otherwise something else answers at this address";
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
  return 0;
}

int verify_mode(PeerCertificate peer, TlsRole role) {
  if (role == TlsRole::client) return SSL_VERIFY_PEER;
  switch (peer) {
    case PeerCertificate::not_asked:
      return SSL_VERIFY_NONE;
    case PeerCertificate::reported:
      return SSL_VERIFY_PEER;
    case PeerCertificate::required:
    case PeerCertificate::pinned:
      return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
}

Status use_identity(SSL_CTX& context, const Identity& identity) {
  X509Handle certificate = read_certificate_pem(identity.certificate_pem);
  PkeyHandle key = read_private_key_pem(identity.key_pem);
  if (!certificate || !key) return invalid("tls: the identity is no PEM: " + openssl_reasons());
  if (SSL_CTX_use_certificate(&context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(&context, key.get()) != 1) {
    return invalid("tls: the identity cannot be used: " + openssl_reasons());
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TlsContext>> TlsContext::create(TlsOptions options) {
  if (options.peer == PeerCertificate::pinned && options.pins.empty()) {
    return invalid("tls: the peer is to be pinned, but no fingerprint is given");
  }
  auto native = std::make_unique<Native>();
  native->context.reset(SSL_CTX_new(TLS_method()));
  SSL_CTX* context = native->context.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      // AES-128 first: as safe here, and a quarter faster than the default AES-256.
      SSL_CTX_set_ciphersuites(context,
                               "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                               "TLS_CHACHA20_POLY1305_SHA256") != 1 ||
      SSL_CTX_set1_groups_list(context, "X25519:P-256") != 1) {
    return openssl_error("tls: settings");
  }
  // Sessions are not resumed: a session would remember a peer that is no longer pinned.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_cert_verify_callback(context, verify_peer, nullptr);
  if (options.identity) PENSTOCK_TRY(use_identity(*context, *options.identity));
  return std::unique_ptr<TlsContext>(new TlsContext(std::move(options), std::move(native)));
}

TlsContext::TlsContext(TlsOptions options, std::unique_ptr<Native> native)
    : options_(std::move(options)), native_(std::move(native)) {}
TlsContext::~TlsContext() = default;

Result<SslHandle> make_ssl(const TlsContext& context, TlsRole role, PeerVerdict& verdict) {
  const TlsOptions& options = context.options();
  if (role == TlsRole::server && !options.identity) {
    return Error{ErrorCode::failed_precondition, "tls: a server needs an identity to show"};
  }
  SslHandle ssl(SSL_new(context.native().context.get()));
  if (!ssl) return openssl_error("tls: new connection");
  verdict.options = &options;
  verdict.role = role;
  SSL_set_app_data(ssl.get(), &verdict);
  SSL_set_verify(ssl.get(), verify_mode(options.peer, role), nullptr);
  if (role == TlsRole::client) {
    SSL_set_connect_state(ssl.get());
  } else {
    SSL_set_accept_state(ssl.get());
  }
  return ssl;
}

}  // namespace penstock::net
