#include "player/cli/play/console_options.hpp"

#include <filesystem>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::cli {
namespace {

void check_readable(const char* option, const std::string& file) try {
  static_cast<void>(open_for_reading(file));
} catch (const InputError& error) {
  throw InputError({option}, "", "a PEM file that can be read", error.what());
}

/// The URL without what may follow its authority. Throws InputError.
std::string checked_url(const std::string& typed) {
  std::string url = typed;
  if (url.ends_with('/')) url.pop_back();
  const std::size_t scheme = url.starts_with("https://")  ? 8
                             : url.starts_with("http://") ? 7
                                                          : std::string::npos;
  if (scheme == std::string::npos || url.size() == scheme ||
      url.find_first_of("/?#@ ", scheme) != std::string::npos)
    throw InputError({"--console-url"}, "", "http[s]://NAME[:PORT]", typed);
  return url;
}

}  // namespace

void add_console_options(CLI::App& command, ConsoleArguments& arguments) {
  command
      .add_option("--console", arguments.address,
                  "the operator's page in a browser, at this address; without "
                  "one at a free port of loopback (a presentation always has it)")
      ->expected(0, 1)
      ->type_name("[ADDR:PORT]");
  command
      .add_option("--console-cert", arguments.certificate,
                  "the console speaks TLS, with this certificate (PEM)")
      ->type_name("FILE");
  command.add_option("--console-key", arguments.key, "the certificate's private key (PEM)")
      ->type_name("FILE");
  command
      .add_option(
          "--console-url", arguments.url,
          "what browsers call the console, where that is not its address: a proxy's, or the "
          "certificate's name")
      ->type_name("http[s]://NAME[:PORT]");
  command.add_flag("--console-plain", arguments.plain,
                   "listens beyond loopback without TLS: for a proxy of your own, which speaks TLS "
                   "with browsers");
}

supervisor::ConsoleOptions console_options(const ConsoleArguments& arguments) {
  supervisor::ConsoleOptions options;
  options.on = arguments.always || !arguments.address.empty();
  if (arguments.certificate.empty() != arguments.key.empty())
    throw InputError({arguments.key.empty() ? "--console-cert" : "--console-key"}, "",
                     "certificate and key together", "one of them");
  const char* const more = arguments.plain                  ? "--console-plain"
                           : !arguments.url.empty()         ? "--console-url"
                           : !arguments.certificate.empty() ? "--console-cert"
                                                            : "";
  if (*more != '\0' && !options.on) throw InputError({more}, "", "--console beside it", "nothing");
  if (!arguments.certificate.empty()) {
    check_readable("--console-cert", arguments.certificate);
    check_readable("--console-key", arguments.key);
    options.certificate = std::filesystem::absolute(arguments.certificate);
    options.key = std::filesystem::absolute(arguments.key);
  }
  if (!arguments.url.empty()) options.url = checked_url(arguments.url);
  options.plain = arguments.plain;
  options.opens_browser = arguments.opens_browser;
  if (!arguments.address.empty() && arguments.address.front() != "{}")
    options.address = arguments.address.front();
  return options;
}

}  // namespace tilewall::cli
