#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "gateway/records.h"

namespace penstock::gateway {

/// A new secret. `hash` is what is stored; `random` is shown once, inside its text.
struct NewSecret {
  std::string random;
  std::string hash;
};

/// 256 random bits and their salted SHA-256. Threads: any
NewSecret make_secret();

/// "psk_<id>_<random>" for an API key, "pjt_<id>_<random>" for a join token.
std::string secret_text(CredentialKind kind, KeyId id, std::string_view random);

struct ParsedSecret {
  CredentialKind kind = CredentialKind::api_key;
  KeyId id;
  std::string random;
};

/// Errors: unauthenticated for a text of another form; the text itself is never repeated
Result<ParsedSecret> parse_secret(std::string_view text);

/// Whether `secret` is the one of `record`, which is of its kind, not revoked, and not expired at
/// `now`. `record` is null if the number is unknown: that takes as long as a wrong secret. A used
/// one-time join token passes here; the control plane says whose it is.
/// Errors: unauthenticated, the same for an unknown number and a wrong secret; permission_denied
///         for a right secret that is revoked or expired
Status check_secret(const ParsedSecret& secret, const CredentialRecord* record, Instant now);

}  // namespace penstock::gateway
