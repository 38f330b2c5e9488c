// The operator's console of a show: its socket, which survives the process, its tokens, and how
// the process is started.
//
// Threads: one owner.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "player/console/access/tokens.hpp"
#include "player/host/kept_program.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::supervisor {

class RunDir;

/// Whether and where a show has a console.
struct ConsoleOptions {
  bool on = false;
  std::string address;                ///< "ADDR:PORT"; "" = loopback and a free port
  std::filesystem::path certificate;  ///< for TLS, PEM; "" = none
  std::filesystem::path key;          ///< the certificate's private key, PEM
  bool opens_browser = false;         ///< the page is opened on this machine's display
  std::string url;     ///< what browsers call it: "https://wall.example.org"; "" = as it listens
  bool plain = false;  ///< without TLS beyond loopback, behind the user's own proxy
};

/// A socket at the options' address, and who may use the console there.
class ConsoleService {
 public:
  /// Begins to listen, and writes the tokens, those of a show that is resumed again, into the run
  /// directory. Throws InputError for an address that is not this machine's or is in use, for one
  /// beyond loopback without TLS or `plain`, and for files that TLS cannot use. `show_options` and
  /// `render_options` are those of ConsoleAccess.
  ConsoleService(const ConsoleOptions& options, const RunDir& run_dir,
                 std::vector<std::string> show_options, std::vector<std::string> render_options);

  /// The address that logs the operator in.
  [[nodiscard]] std::string operator_url() const;

  /// Opens the page in the user's browser by xdg-open, where that is installed. The token is in a
  /// file of the run directory and not in the command line, which other users can read.
  void open_browser() const;

  /// How the process is started. It is a process group of its own.
  [[nodiscard]] host::ProgramStart start() const;

 private:
  const ConsoleOptions options_;
  const RunDir& run_dir_;
  UniqueFd listening_;
  console::ConsoleAccess access_;
};

/// When the process is started again: at once, and after a second where it dies again and again.
[[nodiscard]] host::RestartLimits console_restarts();

}  // namespace tilewall::supervisor
