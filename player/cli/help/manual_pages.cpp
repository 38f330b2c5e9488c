#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "player/cli/help/help.hpp"

namespace tilewall::cli {
namespace {

/// Escapes text for man(7): hyphens can be copied, and no line looks like a request.
std::string escaped(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Quotes the words of a heading or term, so that they are one argument of its macro.
std::string quoted(const std::string& text) {
  std::string plain = escaped(text);
  std::replace(plain.begin(), plain.end(), '"', '\'');
  return "\"" + plain + "\"";
}

std::string header(const std::string& name, const std::string& version) {
  return fmt::format(".TH {} 1 \"\" {} \"tilewall\"\n", quoted(upper(name)), quoted(version));
}

void add_term(std::string& page, const std::string& term, const std::string& text) {
  page += ".TP\n.B " + quoted(term) + "\n" + escaped(text) + "\n";
}

/// Adds text whose lines are not filled, such as keys and examples.
void add_as_is(std::string& page, const std::string& text) {
  if (text.find_first_not_of(" \n") == std::string::npos) return;
  page += ".PP\n.nf\n" + escaped(text);
  if (page.back() != '\n') page += '\n';
  page += ".fi\n";
}

/// "tilewall play [OPTIONS] INPUT..."
std::string synopsis(const CLI::App& command, const std::string& words) {
  std::string line = words;
  const auto options = shown_options(command);
  if (std::any_of(options.begin(), options.end(), [](auto* one) { return one->nonpositional(); }))
    line += " [OPTIONS]";
  const CLI::Formatter help;
  for (const CLI::Option* option : options)
    if (option->get_positional()) line += " " + help.make_option_usage(option);
  if (!shown_commands(command).empty())
    line += command.get_require_subcommand_min() > 0 ? " COMMAND" : " [COMMAND]";
  return line;
}

void add_arguments(std::string& page, const CLI::App& command) {
  for (const CLI::Option* option : shown_options(command))
    if (option->get_positional()) add_term(page, option->get_name(true), option->get_description());
}

void add_option(std::string& page, const CLI::Option& option) {
  const CLI::Formatter help;
  if (!option.get_positional())
    add_term(page, help.make_option_name(&option, false) + help.make_option_opts(&option),
             option.get_description());
}

/// A section for each group of options.
void add_option_groups(std::string& page, const CLI::App& command) {
  const auto options = shown_options(command);
  std::vector<std::string> groups;
  for (const CLI::Option* option : options)
    if (!option->get_positional() &&
        std::find(groups.begin(), groups.end(), option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  for (const std::string& group : groups) {
    page += ".SH " + quoted(upper(group)) + "\n";
    for (const CLI::Option* option : options)
      if (option->get_group() == group) add_option(page, *option);
  }
}

void add_verb(std::string& page, const CLI::App& verb, const std::string& words) {
  page += ".SS " + quoted(synopsis(verb, words)) + "\n";
  page += escaped(verb.get_description()) + "\n";
  add_arguments(page, verb);
  for (const CLI::Option* option : shown_options(verb))
    if (option != verb.get_help_ptr()) add_option(page, *option);  // every verb has --help
  // A verb without a footer inherits its parent's, which must not be printed again.
  const CLI::App* parent = verb.get_parent();
  if (parent == nullptr || parent->get_footer() != verb.get_footer())
    add_as_is(page, verb.get_footer());
  for (const CLI::App* more : shown_commands(verb))
    add_verb(page, *more, words + " " + more->get_name());
}

ManualPage command_page(const CLI::App& command, const std::string& program,
                        const std::string& version) {
  ManualPage page{program + "-" + command.get_name(), ""};
  const std::string words = program + " " + command.get_name();
  std::string& text = page.text;
  text = header(page.name, version);
  text +=
      fmt::format(".SH NAME\n{} \\- {}\n", escaped(page.name), escaped(command.get_description()));
  text += ".SH SYNOPSIS\n.B " + quoted(synopsis(command, words)) + "\n";
  text += ".SH DESCRIPTION\n" + escaped(command.get_description()) + "\n";
  add_arguments(text, command);
  add_option_groups(text, command);
  const auto verbs = shown_commands(command);
  if (!verbs.empty()) text += ".SH COMMANDS\n";
  for (const CLI::App* verb : verbs) add_verb(text, *verb, words + " " + verb->get_name());
  if (!command.get_footer().empty()) text += ".SH NOTES\n";
  add_as_is(text, command.get_footer());
  text += fmt::format(".SH \"SEE ALSO\"\n.BR {} (1)\n", escaped(program));
  return page;
}

ManualPage program_page(const CLI::App& app, const std::string& version) {
  ManualPage page{app.get_name(), ""};
  std::string& text = page.text;
  text = header(page.name, version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(page.name), escaped(app.get_description()));
  text += ".SH SYNOPSIS\n.B " + quoted(synopsis(app, page.name)) + "\n";
  text += ".SH DESCRIPTION\n" + escaped(app.get_description()) + "\n";
  add_option_groups(text, app);
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : shown_commands(app))
    add_term(
        text, command->get_name(),
        fmt::format("{}: {}-{}(1)", command->get_description(), page.name, command->get_name()));
  if (!app.get_footer().empty()) text += ".SH NOTES\n";
  add_as_is(text, app.get_footer());
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B TILEWALL_WALL\nThe wall file of shows without \\-\\-wall.\n"
      ".SH FILES\n"
      "Without TILEWALL_WALL, shows look for their wall file here, in this order; without any they "
      "play on a small 5x3 wall in the middle of the screen.\n"
      ".TP\n.I $XDG_CONFIG_HOME/tilewall/wall.toml\nor ~/.config/tilewall/wall.toml: the user's.\n"
      ".TP\n.I /etc/xdg/tilewall/wall.toml\nor those of $XDG_CONFIG_DIRS: the system's.\n"
      ".TP\n.I /etc/tilewall/wall.toml\nThe system's.\n"
      ".TP\n.I PREFIX/etc/tilewall/wall.toml\nThe installation's.\n";
  return page;
}

}  // namespace

std::vector<ManualPage> manual_pages(const CLI::App& app, const std::string& version) {
  std::vector<ManualPage> pages = {program_page(app, version)};
  for (const CLI::App* command : shown_commands(app))
    pages.push_back(command_page(*command, app.get_name(), version));
  return pages;
}

}  // namespace tilewall::cli
