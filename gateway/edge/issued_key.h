#pragma once

#include <kj/async.h>
#include <kj/string.h>

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "gateway/records.h"

namespace penstock::gateway {

class Shell;

/// The account whose keys may act for every account. Made at the first start.
inline constexpr std::string_view kAdministrator = "admin";

/// A new secret and its number. The secret is nowhere else.
struct IssuedKey {
  KeyId id;
  std::string secret;
};

/// Makes an API key of the account; resolves when it is on disk.
kj::Promise<IssuedKey> issue_api_key(Shell& shell, AccountId account, const std::string& label);

/// Makes a join token that any number of executors may use; resolves when it is on disk.
kj::Promise<IssuedKey> issue_join_token(Shell& shell, const std::string& label);

/// The live credential whose secret this is.
/// Errors: unauthenticated for a text that is none, is unknown, revoked or expired
Result<CredentialRecord> verify_credential(Shell& shell, CredentialKind kind, kj::StringPtr secret);

}  // namespace penstock::gateway
