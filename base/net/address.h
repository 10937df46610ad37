#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock::net {

/// Where a service listens, and which certificate it must show.
struct Address {
  std::string host;         // name or number, without brackets; empty for a Unix socket
  std::uint16_t port = 0;   // 0 lets a listener choose
  std::string path;         // of a Unix socket; empty for TCP
  std::string fingerprint;  // SHA-256 of the certificate in lower-case hex; empty: none given

  bool is_unix() const { return !path.empty(); }
  /// What is dialled: "host:port", "[::1]:7400" or "unix:/path".
  std::string dial_text() const;
  /// The form that `parse_address` reads back: with scheme and fingerprint.
  std::string url() const;
  bool operator==(const Address&) const = default;
};

/// Reads "penstock://host:port?fingerprint=<64 hex digits>", "host:port", "[v6]:port" or
/// "unix:/path".
/// Errors: invalid_argument that says which part is wrong and how it should look.
Result<Address> parse_address(std::string_view text);

/// A certificate fingerprint in its one form: 64 lower-case hex digits. Reads upper case and
/// colons too.
Result<std::string> parse_fingerprint(std::string_view text);

}  // namespace penstock::net
