// What the generators of manual pages and completions ask of a command's table in CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewall {

/// Those that --help shows, in its order: a hidden one's group is empty.
[[nodiscard]] std::vector<const CLI::App*> shown_commands(const CLI::App& command);

/// Those that --help shows, in its order, with those of option groups.
[[nodiscard]] std::vector<const CLI::Option*> shown_options(const CLI::App& command);

/// "--late", or "-h" for an option without a long name.
[[nodiscard]] std::string option_word(const CLI::Option& option);

/// Whether a word follows the option's name.
[[nodiscard]] bool takes_value(const CLI::Option& option);

/// The values that its check lists, such as {"movie", "volume"}; empty where it lists none.
[[nodiscard]] std::vector<std::string> listed_values(const CLI::Option& option);

}  // namespace tilewall
