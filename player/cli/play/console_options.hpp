// The options about the operator's console of a show.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "player/supervisor/console_service.hpp"

namespace tilewall::cli {

/// As typed.
struct ConsoleArguments {
  bool always = false;         ///< a presentation has one in any case
  bool opens_browser = false;  ///< the page is opened beside the wall
  /// --console: none where it was not typed, else one; "" or "{}" = without a value.
  std::vector<std::string> address;
  std::string certificate;  ///< --console-cert
  std::string key;          ///< --console-key
  std::string url;          ///< --console-url
  bool plain = false;       ///< --console-plain
};

void add_console_options(CLI::App& command, ConsoleArguments& arguments);

/// Throws InputError for a certificate without its key, a key without its certificate, and for
/// options of a console that the show has not.
[[nodiscard]] supervisor::ConsoleOptions console_options(const ConsoleArguments& arguments);

}  // namespace tilewall::cli
