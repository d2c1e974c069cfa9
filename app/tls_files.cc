#include "app/tls_files.h"

#include <memory>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace auth_errors::app {

std::vector<TlsFileProblem> checkTlsFiles(const std::filesystem::path& certificate,
                                          const std::filesystem::path& key) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  &SSL_CTX_free);
  // A prompt for a passphrase would hang a service without a terminal.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  std::vector<TlsFileProblem> problems;
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    problems.push_back({.ofKey = false,
                        .path = certificate,
                        .allowed = "must be a readable PEM certificate chain"});
  }
  // Without a loaded certificate this only reads the key; with one it also compares them.
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool mismatch =
        ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH && problems.empty();
    problems.push_back({.ofKey = true,
                        .path = key,
                        .allowed = mismatch ? "must be the key of the certificate"
                                            : "must be a readable PEM key without a passphrase"});
  }
  ERR_clear_error();
  return problems;
}

}  // namespace auth_errors::app
