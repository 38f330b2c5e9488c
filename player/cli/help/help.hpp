// Help that is made from the tables of the commands: option groups, manual pages, shell completion
// and the line for a command line that cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::cli {

// What the generators of manual pages and completions ask of a command's table in CLI11.

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

/// The help of commands with many options: in groups, the most used options first.
struct HelpGroup {
  std::string_view heading;
  std::vector<std::string_view> options;  ///< long names without dashes, in the order of the help
};

/// Lists the options of `command` under these headings, in this order. Names that the command has
/// not, or that an earlier group has, are left out; options that no group names follow under "Other
/// options".
/// @pre all options have been added
void group_help(CLI::App& command, const std::vector<HelpGroup>& groups);

/// Manual pages and the completion of bash, made from the tables behind --help: commands, options,
/// their values and texts are those that CLI11 parses.
struct ManualPage {
  std::string name;  ///< "tilewall-play"
  std::string text;  ///< in man(7)'s macros
};

/// One page for the program and one for each command; the verbs of a command are sections of its
/// page. `version`, such as "tilewall 0.1.0", stands in the footers.
[[nodiscard]] std::vector<ManualPage> manual_pages(const CLI::App& app, const std::string& version);

/// A script that bash sources: completes commands, verbs, options and the values that options list.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

// The line that main() prints when the command line cannot be parsed.

/// One line for stderr, without "tilewall: ". For an unknown command, verb or option it names the
/// nearest known one; it ends with the help command to type. `app` is the program after its failed
/// parse.
[[nodiscard]] std::string parse_error_line(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tilewall::cli
