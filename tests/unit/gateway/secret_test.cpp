#include "gateway/auth/secret.h"

#include <doctest/doctest.h>

using namespace penstock;
using namespace penstock::gateway;

namespace {

constexpr Instant kNow{1'767'225'600'000'000'000};

CredentialRecord record_of(const NewSecret& secret) {
  CredentialRecord out;
  out.id = KeyId{7};
  out.account = AccountId{1};
  out.label = "laptop";
  out.hash = secret.hash;
  out.created_at = kNow;
  return out;
}

ParsedSecret parsed(const NewSecret& secret, KeyId id = KeyId{7}) {
  return parse_secret(secret_text(CredentialKind::api_key, id, secret.random)).value();
}

}  // namespace

TEST_CASE("a secret's text names its kind and number and reads back") {
  const std::string random(64, 'f');
  CHECK(secret_text(CredentialKind::api_key, KeyId{7}, random) == "psk_7_" + random);
  const auto token = parse_secret("pjt_12_" + random);
  REQUIRE(token.ok());
  CHECK(token->kind == CredentialKind::join_token);
  CHECK(token->id == KeyId{12});
  CHECK(token->random == random);
}

TEST_CASE("a text of another form is refused and not repeated") {
  const std::string random(64, 'f');
  for (const std::string& text :
       {std::string(), std::string("psk_"), "psk_7" + random, "psk__" + random, "psx_7_" + random,
        "psk_7_" + random + "f", "psk_7_" + std::string(64, 'F'), "psk_-7_" + random,
        "psk_99999999999999999999_" + random, "psk_7_" + random + "\n"}) {
    const auto result = parse_secret(text);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::unauthenticated);
    CHECK(result.error().message.find(random) == std::string::npos);
  }
}

TEST_CASE("two secrets differ, and so do two hashes") {
  const NewSecret first = make_secret(), second = make_secret();
  CHECK(first.random != second.random);
  CHECK(first.hash != second.hash);
  CHECK(first.hash.find(first.random) == std::string::npos);
  CHECK(first.random.size() == 64);
}

TEST_CASE("the right secret passes; a wrong one and an unknown number are told alike") {
  const NewSecret secret = make_secret();
  const CredentialRecord record = record_of(secret);
  CHECK(check_secret(parsed(secret), &record, kNow).ok());
  const Status wrong = check_secret(parsed(make_secret()), &record, kNow);
  const Status unknown = check_secret(parsed(make_secret()), nullptr, kNow);
  REQUIRE_FALSE(wrong.ok());
  REQUIRE_FALSE(unknown.ok());
  CHECK(wrong.error() == unknown.error());
  CHECK(wrong.error().code == ErrorCode::unauthenticated);
}

TEST_CASE("a secret of one kind is none of the other") {
  const NewSecret secret = make_secret();
  CredentialRecord record = record_of(secret);
  record.kind = CredentialKind::join_token;
  CHECK(check_secret(parsed(secret), &record, kNow).error().code == ErrorCode::unauthenticated);
}

TEST_CASE("a revoked secret is refused as such, but only to who knows it") {
  const NewSecret secret = make_secret();
  CredentialRecord record = record_of(secret);
  record.revoked_at = kNow;
  CHECK(check_secret(parsed(secret), &record, kNow).error().message ==
        "API key 7 has been revoked");
  CHECK(check_secret(parsed(make_secret()), &record, kNow).error().code ==
        ErrorCode::unauthenticated);
}

TEST_CASE("a secret is refused at the instant it expires") {
  const NewSecret secret = make_secret();
  CredentialRecord record = record_of(secret);
  record.expires_at = kNow + 60s;
  CHECK(check_secret(parsed(secret), &record, kNow + 60s - 1ns).ok());
  CHECK_FALSE(check_secret(parsed(secret), &record, kNow + 60s).ok());
}
