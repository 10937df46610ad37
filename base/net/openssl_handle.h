#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace penstock::net {

template <auto free_function>
struct OpensslFree {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};

using BioHandle = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using PkeyHandle = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using PkeyContextHandle = std::unique_ptr<EVP_PKEY_CTX, OpensslFree<EVP_PKEY_CTX_free>>;
using DigestContextHandle = std::unique_ptr<EVP_MD_CTX, OpensslFree<EVP_MD_CTX_free>>;
using X509Handle = std::unique_ptr<X509, OpensslFree<X509_free>>;
using SslContextHandle = std::unique_ptr<SSL_CTX, OpensslFree<SSL_CTX_free>>;
using SslHandle = std::unique_ptr<SSL, OpensslFree<SSL_free>>;

/// The reasons OpenSSL has queued on this thread, oldest first; empties the queue.
std::string openssl_reasons();

/// `operation: reasons` as internal.
Error openssl_error(std::string_view operation);

/// Reads a PEM private key; never asks for a password.
PkeyHandle read_private_key_pem(std::string_view pem);
Result<std::string> write_private_key_pem(EVP_PKEY& key);

}  // namespace penstock::net
