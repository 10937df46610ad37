#include "base/net/crypto.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/net/identity.h"
#include "temporary_directory.h"

using namespace penstock;
using namespace penstock::net;

namespace {

std::array<std::uint8_t, 32> bytes32(const std::string& hex) {
  const std::string raw = *from_hex(hex);
  std::array<std::uint8_t, 32> bytes{};
  REQUIRE(raw.size() == bytes.size());
  std::copy(raw.begin(), raw.end(), bytes.begin());
  return bytes;
}

std::string hex_of(const Signature& signature) {
  return to_hex({reinterpret_cast<const char*>(signature.data()), signature.size()});
}

int mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return static_cast<int>(status.st_mode & 0777);
}

}  // namespace

TEST_CASE("SHA-256 of abc is the value of FIPS 180-2") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("Ed25519 gives the signature of RFC 8032, test 2") {
  const auto key = SigningKey::from_seed(
      bytes32("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
  CHECK(key.public_key().hex() ==
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  CHECK(hex_of(key.sign("\x72")) ==
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
}

TEST_CASE("a signature holds for its message and its key only") {
  const auto key = SigningKey::generate();
  const Signature signature = key.sign("lease 7, epoch 3");
  CHECK(verify(key.public_key(), "lease 7, epoch 3", signature));
  CHECK_FALSE(verify(key.public_key(), "lease 7, epoch 4", signature));
  CHECK_FALSE(verify(SigningKey::generate().public_key(), "lease 7, epoch 3", signature));
  Signature changed = signature;
  changed[0] ^= 1;
  CHECK_FALSE(verify(key.public_key(), "lease 7, epoch 3", changed));
}

TEST_CASE("a public key is read back from its hex digits") {
  const PublicKey key = SigningKey::generate().public_key();
  CHECK(*parse_public_key(key.hex()) == key);
  CHECK(parse_public_key("abcd").error().message == "public key: 2 bytes, but Ed25519 has 32");
}

TEST_CASE("a saved signing key is the owner's only, and loads as the same key") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ticket.key");
  const auto key = SigningKey::generate();
  REQUIRE(key.save(path).ok());
  CHECK(mode_of(path) == 0600);
  CHECK(SigningKey::load(path)->public_key() == key.public_key());
}

TEST_CASE("a signing key that others may read is refused") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ticket.key");
  REQUIRE(SigningKey::generate().save(path).ok());
  REQUIRE(::chmod(path.c_str(), 0644) == 0);
  const auto loaded = SigningKey::load(path);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code == ErrorCode::permission_denied);
  CHECK(loaded.error().message.find("chmod 600") != std::string::npos);
}

TEST_CASE("a damaged signing key says what to do") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("ticket.key");
  { std::ofstream(path) << "not a key"; }
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  CHECK(SigningKey::load(path).error().code == ErrorCode::data_loss);
}

TEST_CASE("hex digits and bytes turn into each other") {
  CHECK(to_hex(std::string("\x00\xff\x1b", 3)) == "00ff1b");
  CHECK(*from_hex("00FF1b") == std::string("\x00\xff\x1b", 3));
  CHECK_FALSE(from_hex("abc").ok());
  CHECK_FALSE(from_hex("zz").ok());
}

TEST_CASE("random bytes are not the same twice") {
  CHECK(random_bytes(32).size() == 32);
  CHECK(random_hex(16).size() == 32);
  CHECK(random_bytes(32) != random_bytes(32));
}

TEST_CASE("an API key matches its own stored hash only") {
  const std::string key = random_hex(32);
  const std::string stored = hash_api_key(key);
  CHECK(stored != hash_api_key(key));  // salted
  CHECK(stored.find(key) == std::string::npos);
  CHECK(matches_api_key(key, stored));
  CHECK_FALSE(matches_api_key(key + "0", stored));
  CHECK_FALSE(matches_api_key(key, "sha256$"));
  CHECK_FALSE(matches_api_key(key, ""));
}

TEST_CASE("comparing in constant time still compares") {
  CHECK(equal_in_constant_time("abc", "abc"));
  CHECK_FALSE(equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST_CASE("an identity is saved, and loads with the same fingerprint") {
  const test::TemporaryDirectory directory;
  const auto made =
      load_or_make_identity("gateway", directory.path("c.pem"), directory.path("k.pem"));
  REQUIRE(made.ok());
  CHECK(made->fingerprint.size() == 64);
  CHECK(mode_of(directory.path("k.pem")) == 0600);
  const auto again =
      load_or_make_identity("gateway", directory.path("c.pem"), directory.path("k.pem"));
  REQUIRE(again.ok());
  CHECK(again->fingerprint == made->fingerprint);
}

TEST_CASE("half an identity is not silently replaced") {
  const test::TemporaryDirectory directory;
  REQUIRE(
      save_identity(*make_identity("a"), directory.path("c.pem"), directory.path("k.pem")).ok());
  REQUIRE(::unlink(directory.path("k.pem").c_str()) == 0);
  CHECK(load_or_make_identity("a", directory.path("c.pem"), directory.path("k.pem")).error().code ==
        ErrorCode::failed_precondition);
}

TEST_CASE("a certificate with another's key is refused") {
  const auto one = *make_identity("one");
  const auto two = *make_identity("two");
  CHECK(one.fingerprint != two.fingerprint);
  CHECK(parse_identity(one.certificate_pem, two.key_pem).error().message ==
        "identity: the private key is not the certificate's");
}

TEST_CASE("an identity's name is bounded") {
  CHECK(make_identity("").error().code == ErrorCode::invalid_argument);
  CHECK(make_identity(std::string(65, 'x')).error().code == ErrorCode::invalid_argument);
}
