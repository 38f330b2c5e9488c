// Texts generated from CLI11's tables of the commands: help in groups, manual pages, shell
// completion, and the error line for a command line that cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::cli {

// Access to a command's table, for the generators of manual pages and completions.

/// The subcommands that --help shows, in its order. Hidden ones have an empty group.
[[nodiscard]] std::vector<const CLI::App*> shown_commands(const CLI::App& command);

/// The options that --help shows, in its order, with those of option groups.
[[nodiscard]] std::vector<const CLI::Option*> shown_options(const CLI::App& command);

/// "--late", or "-h" for an option without a long name.
[[nodiscard]] std::string option_word(const CLI::Option& option);

/// Whether the option has a value: a word after its name.
[[nodiscard]] bool takes_value(const CLI::Option& option);

/// The values that the option's check lists, such as {"movie", "volume"}; empty if it lists none.
[[nodiscard]] std::vector<std::string> listed_values(const CLI::Option& option);

/// A group of options in the help of a command with many of them.
struct HelpGroup {
  std::string_view heading;
  std::vector<std::string_view> options;  ///< long names without dashes, in the order of the help
};

/// Makes the help of `command` list its options in these groups, in this order. Names that the
/// command does not have, or that are in an earlier group, are left out. Options without a group
/// follow under "Other options".
/// @pre All options have been added.
void group_help(CLI::App& command, const std::vector<HelpGroup>& groups);

/// A manual page, generated from the tables that CLI11 parses.
struct ManualPage {
  std::string name;  ///< "tilewall-play"
  std::string text;  ///< Text with the macros of man(7)
};

/// One page for the program and one for each command; the verbs of a command are sections of its
/// page. `version`, such as "tilewall 0.1.0", is printed in the footers.
[[nodiscard]] std::vector<ManualPage> manual_pages(const CLI::App& app, const std::string& version);

/// A script for bash that completes commands, verbs, options and the listed values of options.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

/// The words that no command took, in a command line that ended with --help or was refused.
[[nodiscard]] std::vector<std::string> unknown_words(const CLI::App& app);

/// The line that main() prints, after "tilewall: ", for a command line that cannot be parsed. It
/// names the nearest known word for an unknown command, verb or option, and ends with the help
/// command to type. `app` is the program after its failed parse.
[[nodiscard]] std::string parse_error_line(const CLI::App& app, const CLI::ParseError& error);

/// Names hidden options in the errors of a command line that is parsed while this object lives.
/// CLI11's errors have an empty name for an option without a group.
class NamedHiddenOptions {
 public:
  /// `app`, with all of its commands, outlives this object.
  explicit NamedHiddenOptions(CLI::App& app);
  ~NamedHiddenOptions();
  NamedHiddenOptions(const NamedHiddenOptions&) = delete;
  NamedHiddenOptions& operator=(const NamedHiddenOptions&) = delete;

 private:
  std::vector<CLI::Option*> hidden_;
};

}  // namespace tilewall::cli
