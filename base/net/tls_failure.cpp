#include "base/net/tls_failure.h"

#include <openssl/err.h>

#include "base/net/openssl_handle.h"

namespace penstock::net {

namespace {

bool is_about_our_certificate(int alert) {
  switch (alert) {
    case SSL3_AD_NO_CERTIFICATE:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

Error alert_received(int alert) {
  const std::string text = SSL_alert_desc_string_long(alert);
  if (alert == SSL_AD_CERTIFICATE_REQUIRED) {
    return {ErrorCode::unauthenticated,
            "the peer wants a certificate and we have shown none; give this side an identity"};
  }
  if (is_about_our_certificate(alert)) {
    return {ErrorCode::unauthenticated, "the peer refuses our certificate (" + text +
                                            "); have its fingerprint pinned at the peer"};
  }
  return {ErrorCode::failed_precondition, "the peer gave up with alert '" + text + "'"};
}

}  // namespace

Error tls_failure(int reason, const std::string& refusal) {
  const unsigned long code = ERR_peek_error();
  const int detail = ERR_GET_REASON(code);
  const std::string text = openssl_reasons();
  if (!refusal.empty()) return {ErrorCode::unauthenticated, refusal};
  if (reason == SSL_ERROR_ZERO_RETURN) {
    return {ErrorCode::unavailable, "the peer has closed the connection"};
  }
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return {ErrorCode::failed_precondition, text};
  if (detail >= SSL_AD_REASON_OFFSET && detail < SSL_AD_REASON_OFFSET + 256) {
    return alert_received(detail - SSL_AD_REASON_OFFSET);
  }
  switch (detail) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return {ErrorCode::unauthenticated, "the peer shows no certificate, but one is required"};
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_UNKNOWN_PROTOCOL:
      return {ErrorCode::failed_precondition,
              "the peer does not speak TLS; is this the right port? (" + text + ")"};
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
      return {ErrorCode::data_loss, "a record was damaged on the way (" + text + ")"};
    default:
      return {ErrorCode::failed_precondition, text};
  }
}

}  // namespace penstock::net
