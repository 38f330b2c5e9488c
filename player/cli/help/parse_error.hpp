// The line that main() prints when the command line cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tilewall {

/// One line for stderr, without "tilewall: ". For an unknown command, verb or option it names the
/// nearest known one; it ends with the help command to type. `app` is the program after its failed
/// parse.
[[nodiscard]] std::string parse_error_line(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tilewall
