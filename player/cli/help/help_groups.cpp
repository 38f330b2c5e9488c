#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "player/cli/help/help.hpp"

namespace tilewall::cli {
namespace {

constexpr const char* other_options = "Other options";

CLI::Option* find_option(CLI::App& command, std::string_view name) {
  return command.get_option_no_throw("--" + std::string(name));
}

/// Prints groups and options in the order of a list. CLI11 itself orders groups by their first
/// option, and options by when they were added.
class GroupedFormatter final : public CLI::Formatter {
 public:
  GroupedFormatter(const CLI::Formatter& like, std::vector<std::vector<const CLI::Option*>> groups)
      : CLI::Formatter(like), groups_(std::move(groups)) {}

  /// A copy of CLI::Formatter::make_help() with another order of groups, which has no hook.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = make_description(app) + make_usage(app, std::move(name));
    text += make_positionals(app);
    for (const auto& options : groups_)
      text += make_group(options.front()->get_group(), false, options);
    return text + make_subcommands(app, mode) + '\n' + make_footer(app);
  }

 private:
  std::vector<std::vector<const CLI::Option*>> groups_;  // none is empty
};

}  // namespace

void group_help(CLI::App& command, const std::vector<HelpGroup>& groups) {
  std::vector<std::vector<const CLI::Option*>> listed;
  std::vector<const CLI::Option*> known;
  const auto is_known = [&](const CLI::Option* option) {
    return std::find(known.begin(), known.end(), option) != known.end();
  };
  const auto list = [&](const std::string& heading, const std::vector<CLI::Option*>& options) {
    if (options.empty()) return;
    for (CLI::Option* option : options) option->group(heading);
    listed.emplace_back(options.begin(), options.end());
    known.insert(known.end(), options.begin(), options.end());
  };
  for (const HelpGroup& group : groups) {
    std::vector<CLI::Option*> options;
    for (const std::string_view name : group.options)
      if (CLI::Option* const option = find_option(command, name); option && !is_known(option))
        options.push_back(option);
    list(std::string(group.heading), options);
  }
  list(other_options, command.get_options([&](CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty() && !is_known(option);
  }));
  const auto like = std::dynamic_pointer_cast<CLI::Formatter>(command.get_formatter());
  if (like) command.formatter(std::make_shared<GroupedFormatter>(*like, std::move(listed)));
}

}  // namespace tilewall::cli
