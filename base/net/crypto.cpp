#include "base/net/crypto.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "base/net/openssl_handle.h"

namespace penstock::net {

namespace {

constexpr std::string_view kHashScheme = "sha256$";
constexpr std::size_t kSaltBytes = 16;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string salted_digest(std::string_view salt_hex, std::string_view key) {
  return sha256_hex(std::string(salt_hex) + ":" + std::string(key));
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  unsigned int size = 0;
  const int ok =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  PENSTOCK_CHECK(ok == 1 && size == digest.size());
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  const Sha256 digest = sha256(bytes);
  return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Result<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) {
    return invalid("hex: " + std::to_string(digits.size()) + " digits is an odd number");
  }
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_value(digits[i]);
    const int low = hex_value(digits[i + 1]);
    if (high < 0 || low < 0) {
      return invalid("hex: no digit pair at position " + std::to_string(i));
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int ok =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  PENSTOCK_CHECK(ok == 1, "the system gives no random bytes");
  return bytes;
}

std::string random_hex(std::size_t byte_count) {
  return to_hex(random_bytes(byte_count));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string hash_api_key(std::string_view key) {
  const std::string salt = random_hex(kSaltBytes);
  return std::string(kHashScheme) + salt + "$" + salted_digest(salt, key);
}

bool matches_api_key(std::string_view key, std::string_view stored) {
  if (stored.substr(0, kHashScheme.size()) != kHashScheme) return false;
  stored.remove_prefix(kHashScheme.size());
  const std::size_t end = stored.find('$');
  if (end == std::string_view::npos) return false;
  return equal_in_constant_time(salted_digest(stored.substr(0, end), key), stored.substr(end + 1));
}

}  // namespace penstock::net
