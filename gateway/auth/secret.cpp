#include "gateway/auth/secret.h"

#include <algorithm>
#include <charconv>

#include "base/net/crypto.h"

namespace penstock::gateway {
namespace {

constexpr std::size_t kRandomBytes = 32;
constexpr std::string_view kKeyPrefix = "psk_";
constexpr std::string_view kTokenPrefix = "pjt_";
/// What an unknown number is compared with: the hash of no secret that has the right length.
constexpr std::string_view kNobody =
    "sha256$00000000000000000000000000000000$"
    "0000000000000000000000000000000000000000000000000000000000000000";

std::string_view noun(CredentialKind kind) {
  return kind == CredentialKind::api_key ? "API key" : "join token";
}

bool hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

Error malformed() {
  return {ErrorCode::unauthenticated,
          "the text is neither an API key (psk_<number>_<64 hex digits>) nor a join token "
          "(pjt_...); copy it whole from where it was issued"};
}

}  // namespace

NewSecret make_secret() {
  NewSecret out;
  out.random = net::random_hex(kRandomBytes);
  out.hash = net::hash_api_key(out.random);
  return out;
}

std::string secret_text(CredentialKind kind, KeyId id, std::string_view random) {
  std::string out(kind == CredentialKind::api_key ? kKeyPrefix : kTokenPrefix);
  out += std::to_string(id.value);
  out += '_';
  out += random;
  return out;
}

Result<ParsedSecret> parse_secret(std::string_view text) {
  ParsedSecret out;
  const std::string_view prefix = text.substr(0, kKeyPrefix.size());
  if (prefix == kTokenPrefix) {
    out.kind = CredentialKind::join_token;
  } else if (prefix != kKeyPrefix) {
    return malformed();
  }
  const std::string_view rest = text.substr(prefix.size());
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), out.id.value);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (code != std::errc() || digits >= rest.size() || rest[digits] != '_') return malformed();
  const std::string_view random = rest.substr(digits + 1);
  if (random.size() != 2 * kRandomBytes || !std::all_of(random.begin(), random.end(), hex_digit))
    return malformed();
  out.random = random;
  return out;
}

Status check_secret(const ParsedSecret& secret, const CredentialRecord* record, Instant now) {
  const bool known = record != nullptr && record->id == secret.id && record->kind == secret.kind;
  const bool right = net::matches_api_key(secret.random, known ? record->hash : kNobody);
  const std::string place = std::string(noun(secret.kind)) + " " + std::to_string(secret.id.value);
  if (!known || !right)
    return Error{ErrorCode::unauthenticated,
                 place + ": there is no such secret here; ask the operator for a new one"};
  if (record->revoked_at != Instant{})
    return Error{ErrorCode::permission_denied, place + " has been revoked"};
  // An executor that used its one-time token in time may come back with it.
  if (record->used_by.empty() && record->expires_at != Instant{} && record->expires_at <= now)
    return Error{ErrorCode::permission_denied,
                 place + " expired " + format_duration(now - record->expires_at) + " ago"};
  return {};
}

}  // namespace penstock::gateway
