#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock::net {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);

/// Lower-case hex digits of `bytes`.
std::string to_hex(std::string_view bytes);
/// Errors: invalid_argument for an odd length or another character
Result<std::string> from_hex(std::string_view digits);

/// Bytes that nobody can guess, from OpenSSL's generator. Threads: any
std::string random_bytes(std::size_t count);
/// 2 * `byte_count` hex digits.
std::string random_hex(std::size_t byte_count);

/// Compares in a time that does not tell where the first difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// What is stored instead of an API key: "sha256$<salt>$<digest>", both in hex. One round is
/// enough because the keys are 256 random bits, which nobody searches.
std::string hash_api_key(std::string_view key);
bool matches_api_key(std::string_view key, std::string_view stored);

/// An Ed25519 public key, raw.
struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};
  std::string hex() const;
  bool operator==(const PublicKey&) const = default;
};

using Signature = std::array<std::uint8_t, 64>;

Result<PublicKey> parse_public_key(std::string_view hex);

/// True if the owner of `key` signed exactly `message`.
/// Source: Ed25519, RFC 8032
bool verify(const PublicKey& key, std::string_view message, const Signature& signature);

/// An Ed25519 key pair. A value, to be kept in few places: it is not wiped from memory.
class SigningKey {
 public:
  static SigningKey generate();
  /// From the 32 secret bytes of RFC 8032.
  static SigningKey from_seed(const std::array<std::uint8_t, 32>& seed);
  /// Reads a PEM file that only its owner may read.
  static Result<SigningKey> load(const std::string& path);
  /// Writes PKCS #8 PEM with mode 0600.
  Status save(const std::string& path) const;

  const PublicKey& public_key() const { return public_; }
  Signature sign(std::string_view message) const;

 private:
  SigningKey() = default;
  std::array<std::uint8_t, 32> seed_{};
  PublicKey public_;
};

}  // namespace penstock::net
