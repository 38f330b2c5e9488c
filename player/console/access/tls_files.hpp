// The files with which a console speaks TLS.
//
// Threads: everything is constant.
#pragma once

#include <filesystem>

namespace tilewall::console {

/// PEM files for TLS.
struct TlsFiles {
  std::filesystem::path certificate;  ///< with the certificates between it and the root
  std::filesystem::path key;          ///< without a passphrase
};

/// Throws InputError naming the option (`--console-cert`, `--console-key`) whose file cannot be
/// used: it is no PEM file, the key is another certificate's, or has a passphrase. Asks nobody for
/// a passphrase.
void check_tls_files(const TlsFiles& files);

}  // namespace tilewall::console
