#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace penstock::net {

/// Who a TLS peer is: a certificate signed by its own key, known to others by its fingerprint
/// alone. Names and dates in it are for people; nothing trusts them.
struct Identity {
  std::string certificate_pem;
  std::string key_pem;
  std::string fingerprint;  // SHA-256 of the certificate's DER form, lower-case hex
};

/// A new P-256 key and certificate, in memory only.
/// Errors: invalid_argument unless `name` has 1 to 64 printable characters
Result<Identity> make_identity(std::string_view name);

/// From PEM texts. Errors: invalid_argument if they are not a certificate and its own key
Result<Identity> parse_identity(std::string certificate_pem, std::string key_pem);

/// The key file gets mode 0600.
Status save_identity(const Identity& identity, const std::string& certificate_path,
                     const std::string& key_path);
Result<Identity> load_identity(const std::string& certificate_path, const std::string& key_path);

/// Loads both files, or makes and saves an identity if neither exists.
Result<Identity> load_or_make_identity(std::string_view name, const std::string& certificate_path,
                                       const std::string& key_path);

}  // namespace penstock::net
