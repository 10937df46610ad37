#include "base/net/openssl_handle.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>

namespace penstock::net {

std::string openssl_reasons() {
  std::string text;
  for (unsigned long code = ERR_get_error(); code != 0; code = ERR_get_error()) {
    std::array<char, 256> line{};
    ERR_error_string_n(code, line.data(), line.size());
    text += (text.empty() ? "" : "; ") + std::string(line.data());
  }
  return text.empty() ? "no reason given" : text;
}

Error openssl_error(std::string_view operation) {
  return {ErrorCode::internal, std::string(operation) + ": " + openssl_reasons()};
}

PkeyHandle read_private_key_pem(std::string_view pem) {
  BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  auto no_password = [](char*, int, int, void*) { return -1; };
  return PkeyHandle(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
}

Result<std::string> write_private_key_pem(EVP_PKEY& key) {
  BioHandle bio(BIO_new(BIO_s_mem()));
  if (!bio ||
      PEM_write_bio_PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_error("private key to PEM");
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace penstock::net
