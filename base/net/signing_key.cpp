#include <algorithm>

#include "base/net/crypto.h"
#include "base/net/openssl_handle.h"
#include "base/net/private_file.h"

namespace penstock::net {

namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

PkeyHandle private_key(const std::array<std::uint8_t, 32>& seed) {
  PkeyHandle key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
  PENSTOCK_CHECK(key != nullptr, openssl_reasons());
  return key;
}

}  // namespace

std::string PublicKey::hex() const {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<PublicKey> parse_public_key(std::string_view hex) {
  PublicKey key;
  auto bytes = from_hex(hex);
  if (!bytes.ok()) return std::move(bytes).error().in("public key");
  if (bytes->size() != key.bytes.size()) {
    return invalid("public key: " + std::to_string(bytes->size()) + " bytes, but Ed25519 has 32");
  }
  std::copy(bytes->begin(), bytes->end(), key.bytes.begin());
  return key;
}

bool verify(const PublicKey& key, std::string_view message, const Signature& signature) {
  PkeyHandle pkey(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()));
  DigestContextHandle context(EVP_MD_CTX_new());
  const bool genuine =
      pkey && context &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) == 1 &&
      EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(message),
                       message.size()) == 1;
  if (!genuine) openssl_reasons();  // a refused signature must not explain the next error
  return genuine;
}

SigningKey SigningKey::generate() {
  std::array<std::uint8_t, 32> seed{};
  const std::string bytes = random_bytes(seed.size());
  std::copy(bytes.begin(), bytes.end(), seed.begin());
  return from_seed(seed);
}

SigningKey SigningKey::from_seed(const std::array<std::uint8_t, 32>& seed) {
  SigningKey key;
  key.seed_ = seed;
  std::size_t size = key.public_.bytes.size();
  const int ok =
      EVP_PKEY_get_raw_public_key(private_key(seed).get(), key.public_.bytes.data(), &size);
  PENSTOCK_CHECK(ok == 1 && size == key.public_.bytes.size());
  return key;
}

Result<SigningKey> SigningKey::load(const std::string& path) {
  PENSTOCK_ASSIGN(const std::string pem, read_file(path, FileAccess::owner_only));
  PkeyHandle pkey = read_private_key_pem(pem);
  std::array<std::uint8_t, 32> seed{};
  std::size_t size = seed.size();
  if (!pkey || EVP_PKEY_id(pkey.get()) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_private_key(pkey.get(), seed.data(), &size) != 1 || size != seed.size()) {
    openssl_reasons();
    return Error{ErrorCode::data_loss,
                 path +
                     " holds no Ed25519 private key in PEM; restore it, or delete it to have a "
                     "new one made (what the old one signed is then refused)"};
  }
  return from_seed(seed);
}

Status SigningKey::save(const std::string& path) const {
  PENSTOCK_ASSIGN(const std::string pem, write_private_key_pem(*private_key(seed_)));
  return write_file(path, pem, FileAccess::owner_only);
}

Signature SigningKey::sign(std::string_view message) const {
  Signature signature{};
  std::size_t size = signature.size();
  const PkeyHandle pkey = private_key(seed_);
  DigestContextHandle context(EVP_MD_CTX_new());
  const bool ok =
      context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) == 1 &&
      EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(message), message.size()) ==
          1;
  PENSTOCK_CHECK(ok && size == signature.size());
  return signature;
}

}  // namespace penstock::net
