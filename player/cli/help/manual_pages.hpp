// Manual pages and the completion of bash, made from the tables behind --help: commands, options,
// their values and texts are those that CLI11 parses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewall {

struct ManualPage {
  std::string name;  ///< "tilewall-play"
  std::string text;  ///< in man(7)'s macros
};

/// One page for the program and one for each command; the verbs of a command are sections of its
/// page. `version`, such as "tilewall 0.1.0", stands in the footers.
[[nodiscard]] std::vector<ManualPage> manual_pages(const CLI::App& app, const std::string& version);

/// A script that bash sources: completes commands, verbs, options and the values that options list.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

}  // namespace tilewall
