#include "player/console/access/tls_files.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <memory>

#include "sync/base/error.hpp"

namespace tilewall::console {
namespace {

[[noreturn]] void refuse(const char* option, const char* expected,
                         const std::filesystem::path& file) {
  const char* const reason = ERR_reason_error_string(ERR_peek_error());
  const std::string found =
      reason == nullptr ? file.string() : fmt::format("{} ({})", file.string(), reason);
  ERR_clear_error();
  throw InputError({option}, "", expected, found);
}

/// Without a function of its own, OpenSSL asks at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

void check_tls_files(const TlsFiles& files) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_server_method()),
                                                             SSL_CTX_free);
  if (!context) throw JobError("OpenSSL makes no context for TLS");
  ERR_clear_error();
  SSL_CTX_set_default_passwd_cb(context.get(), no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1)
    refuse("--console-cert", "a certificate in a PEM file", files.certificate);
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    refuse("--console-key", "the certificate's private key in a PEM file, without a passphrase",
           files.key);
}

}  // namespace tilewall::console
