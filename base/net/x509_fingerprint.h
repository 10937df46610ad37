#pragma once

#include <string>
#include <string_view>

#include "base/net/openssl_handle.h"

namespace penstock::net {

/// SHA-256 of the certificate's DER form, in lower-case hex.
std::string x509_fingerprint(const X509& certificate);

X509Handle read_certificate_pem(std::string_view pem);

}  // namespace penstock::net
