#include "base/net/identity.h"

#include <openssl/pem.h>
#include <openssl/rand.h>

#include "base/net/crypto.h"
#include "base/net/openssl_handle.h"
#include "base/net/private_file.h"
#include "base/net/x509_fingerprint.h"

namespace penstock::net {

namespace {

constexpr long kDaySeconds = 24 * 60 * 60;
constexpr long kValidSeconds = 20 * 365 * kDaySeconds;

Status check_name(std::string_view name) {
  if (name.empty() || name.size() > 64) {
    return invalid("identity: the name has " + std::to_string(name.size()) +
                   " characters, but a certificate's may have 1 to 64");
  }
  for (char c : name) {
    if (c < ' ' || c > '~')
      return invalid("identity: the name has a character that does not print");
  }
  return {};
}

bool fill_certificate(X509& certificate, EVP_PKEY& key, std::string_view name) {
  X509_set_version(&certificate, X509_VERSION_3);
  // Random, so that no two certificates share issuer and serial.
  const std::string serial = random_bytes(8);
  std::uint64_t number = 0;
  for (char c : serial) number = number << 8 | static_cast<unsigned char>(c);
  if (ASN1_INTEGER_set_uint64(X509_get_serialNumber(&certificate), number >> 1 | 1) != 1) {
    return false;
  }
  // A day back, for peers whose clock is behind.
  if (X509_gmtime_adj(X509_getm_notBefore(&certificate), -kDaySeconds) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(&certificate), kValidSeconds) == nullptr) {
    return false;
  }
  X509_NAME* subject = X509_get_subject_name(&certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(name.data());
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text,
                                    static_cast<int>(name.size()), -1, 0) == 1 &&
         X509_set_issuer_name(&certificate, subject) == 1 &&
         X509_set_pubkey(&certificate, &key) == 1 &&
         X509_sign(&certificate, &key, EVP_sha256()) > 0;
}

Result<std::string> certificate_pem(X509& certificate) {
  BioHandle bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), &certificate) != 1) {
    return openssl_error("certificate to PEM");
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

std::string x509_fingerprint(const X509& certificate) {
  Sha256 digest{};
  unsigned int size = 0;
  const int ok = X509_digest(&certificate, EVP_sha256(), digest.data(), &size);
  PENSTOCK_CHECK(ok == 1 && size == digest.size());
  return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

X509Handle read_certificate_pem(std::string_view pem) {
  BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return X509Handle(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

Result<Identity> make_identity(std::string_view name) {
  PENSTOCK_TRY(check_name(name));
  PkeyHandle key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("identity: make a P-256 key");
  X509Handle certificate(X509_new());
  if (!certificate || !fill_certificate(*certificate, *key, name)) {
    return openssl_error("identity: make a certificate");
  }
  Identity identity;
  PENSTOCK_ASSIGN(identity.certificate_pem, certificate_pem(*certificate));
  PENSTOCK_ASSIGN(identity.key_pem, write_private_key_pem(*key));
  identity.fingerprint = x509_fingerprint(*certificate);
  return identity;
}

Result<Identity> parse_identity(std::string certificate_text, std::string key_text) {
  X509Handle certificate = read_certificate_pem(certificate_text);
  PkeyHandle key = read_private_key_pem(key_text);
  if (!certificate) return invalid("identity: no certificate in PEM: " + openssl_reasons());
  if (!key) return invalid("identity: no private key in PEM: " + openssl_reasons());
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    openssl_reasons();
    return invalid("identity: the private key is not the certificate's");
  }
  return Identity{std::move(certificate_text), std::move(key_text), x509_fingerprint(*certificate)};
}

Status save_identity(const Identity& identity, const std::string& certificate_path,
                     const std::string& key_path) {
  PENSTOCK_TRY(write_file(key_path, identity.key_pem, FileAccess::owner_only));
  return write_file(certificate_path, identity.certificate_pem, FileAccess::everybody);
}

Result<Identity> load_identity(const std::string& certificate_path, const std::string& key_path) {
  PENSTOCK_ASSIGN(std::string certificate, read_file(certificate_path, FileAccess::everybody));
  PENSTOCK_ASSIGN(std::string key, read_file(key_path, FileAccess::owner_only));
  auto identity = parse_identity(std::move(certificate), std::move(key));
  if (!identity.ok()) return std::move(identity).error().in(certificate_path + ", " + key_path);
  return identity;
}

Result<Identity> load_or_make_identity(std::string_view name, const std::string& certificate_path,
                                       const std::string& key_path) {
  auto loaded = load_identity(certificate_path, key_path);
  if (loaded.ok() || loaded.error().code != ErrorCode::not_found) return loaded;
  if (read_file(key_path, FileAccess::owner_only).ok() ||
      read_file(certificate_path, FileAccess::everybody).ok()) {
    return Error{ErrorCode::failed_precondition,
                 "identity: only one of " + certificate_path + " and " + key_path +
                     " exists; restore the other, or delete both to have new ones made"};
  }
  PENSTOCK_ASSIGN(Identity identity, make_identity(name));
  PENSTOCK_TRY(save_identity(identity, certificate_path, key_path));
  return identity;
}

}  // namespace penstock::net
