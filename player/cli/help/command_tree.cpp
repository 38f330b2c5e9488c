#include <algorithm>
#include <sstream>

#include "player/cli/help/help.hpp"

namespace tilewall::cli {

std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  std::vector<const CLI::App*> shown = command.get_subcommands({});
  std::erase_if(shown, [](const CLI::App* one) {
    return one->get_name().empty() || one->get_group().empty() || one->get_disabled();
  });
  return shown;
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  std::vector<const CLI::Option*> shown;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty()) shown.push_back(option);
  for (const CLI::App* group : command.get_subcommands({})) {  // option groups have no name
    if (!group->get_name().empty() || group->get_group().empty()) continue;
    const auto more = shown_options(*group);
    shown.insert(shown.end(), more.begin(), more.end());
  }
  return shown;
}

std::string option_word(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_snames().empty() ? "" : "-" + option.get_snames().front();
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<std::string> listed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();  // "{drop,slow,lower}", "TEXT:{movie,volume}"
  const auto begin = type.find('{');
  const auto end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::string> values;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

}  // namespace tilewall::cli
