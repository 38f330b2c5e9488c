// The help of commands with many options: in groups, the most used options first.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace tilewall {

struct HelpGroup {
  std::string_view heading;
  std::vector<std::string_view> options;  ///< long names without dashes, in the order of the help
};

/// Lists the options of `command` under these headings, in this order. Names that the command has
/// not, or that an earlier group has, are left out; options that no group names follow under "Other
/// options".
/// @pre all options have been added
void group_help(CLI::App& command, const std::vector<HelpGroup>& groups);

}  // namespace tilewall
