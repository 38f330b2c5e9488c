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

}  // namespace

void add_console_options(CLI::App& command, ConsoleArguments& arguments) {
  arguments.typed = command
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
  command.add_flag("--console-plain", arguments.plain,
                   "the console speaks no TLS beyond loopback, behind a proxy of your own that "
                   "does");
}

supervisor::ConsoleOptions console_options(const ConsoleArguments& arguments) {
  supervisor::ConsoleOptions options;
  const bool is_typed = arguments.typed != nullptr && arguments.typed->count() > 0;
  options.on = arguments.always || is_typed;
  if (arguments.certificate.empty() != arguments.key.empty())
    throw InputError({arguments.key.empty() ? "--console-cert" : "--console-key"}, "",
                     "certificate and key together", "one of them");
  const bool has_more = arguments.plain || !arguments.certificate.empty();
  if (has_more && !options.on)
    throw InputError({arguments.plain ? "--console-plain" : "--console-cert"}, "",
                     "--console beside it", "nothing");
  if (!arguments.certificate.empty()) {
    check_readable("--console-cert", arguments.certificate);
    check_readable("--console-key", arguments.key);
    options.certificate = std::filesystem::absolute(arguments.certificate);
    options.key = std::filesystem::absolute(arguments.key);
  }
  options.plain = arguments.plain;
  options.opens_browser = arguments.opens_browser;
  if (!arguments.address.empty() && arguments.address.front() != "{}")
    options.address = arguments.address.front();
  return options;
}

}  // namespace tilewall::cli
