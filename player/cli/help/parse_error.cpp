#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "player/cli/help/help.hpp"
#include "sync/base/nearest.hpp"

namespace tilewall::cli {
namespace {

/// The recognised commands of the command line: "tilewall ctl seek".
std::string command_line_of(const CLI::App& app) {
  const auto named = app.get_subcommands();
  const std::string& name = app.get_name();
  return named.empty() ? name : name + " " + command_line_of(*named.front());
}

const CLI::App& innermost(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : innermost(*named.front());
}

using Names = std::vector<std::string>;

Names command_names(const CLI::App& app) {
  Names names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

Names option_names(const CLI::App& app) {
  Names names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool looks_like_option(const std::string& word) { return word.starts_with("--") && word != "--"; }

/// The first word that CLI11 could not assign, for `app` or a command above it.
std::string first_unknown(const CLI::App& app, bool option) {
  for (const CLI::App* one = &app; one != nullptr; one = one->get_parent())
    for (const std::string& word : one->remaining())
      if (looks_like_option(word) == option && word != "--") return word;
  return "";
}

/// "ctl: expected a verb, found "staus" (nearest: status; see tilewall ctl --help)"
std::string unknown_word_line(const CLI::App& root, const std::string& expected,
                              const std::string& found, const Names& known) {
  const std::string name = innermost(root).get_name();
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string_view nearest = near_word(found, candidates);
  return fmt::format("{}expected {}, found \"{}\" ({}see {} --help)",
                     &innermost(root) == &root ? "" : name + ": ", expected, found,
                     nearest.empty() ? "" : fmt::format("nearest: {}; ", nearest),
                     command_line_of(root));
}

/// "Could not convert: --memory = 1x" in this program's form:
/// "--memory: expected a whole number that is not too large, found "1x"".
std::string conversion_line(const CLI::App& command, std::string_view said) {
  constexpr std::string_view between = " = ";
  said.remove_prefix(std::min(said.size(), said.find(": ") + 2));
  const std::size_t at = said.find(between);
  if (at == std::string_view::npos) return std::string(said);
  const std::string name(said.substr(0, at));
  const CLI::Option* const option = command.get_option_no_throw(name);
  const bool is_float = option != nullptr && option->get_type_name().starts_with("FLOAT");
  return fmt::format("{}: expected {}, found \"{}\"", name,
                     is_float ? "a number" : "a whole number that is not too large",
                     said.substr(at + between.size()));
}

/// Adds the hidden options of the command and of those below it.
void add_hidden(CLI::App& command, std::vector<CLI::Option*>& hidden) {
  const auto more =
      command.get_options([](const CLI::Option* option) { return option->get_group().empty(); });
  hidden.insert(hidden.end(), more.begin(), more.end());
  for (CLI::App* const one : command.get_subcommands([](const CLI::App*) { return true; }))
    add_hidden(*one, hidden);
}

}  // namespace

std::vector<std::string> unknown_words(const CLI::App& app) {
  Names words;
  for (const CLI::App* one = &innermost(app); one != nullptr; one = one->get_parent())
    for (const std::string& word : one->remaining())
      if (word != "--") words.push_back(word);
  return words;
}

std::string parse_error_line(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const Names commands = command_names(command);
  const std::string word = first_unknown(command, false);
  if (!commands.empty() && !word.empty())
    return unknown_word_line(app, command.get_name() == "ctl" ? "a verb" : "a command", word,
                             commands);
  const std::string typed = first_unknown(command, true);
  const std::string option = typed.substr(0, typed.find('='));
  const Names options = option_names(command);
  if (std::find(options.begin(), options.end(), option) != options.end())
    return fmt::format("expected {0} behind \"{1}\", found it before (see {1} --help)", option,
                       command_line_of(app));
  if (!option.empty()) return unknown_word_line(app, "a known option", option, options);
  const bool is_conversion = dynamic_cast<const CLI::ConversionError*>(&error) != nullptr;
  return fmt::format("{} (see {} --help)",
                     is_conversion ? conversion_line(command, error.what()) : error.what(),
                     command_line_of(app));
}

NamedHiddenOptions::NamedHiddenOptions(CLI::App& app) {
  add_hidden(app, hidden_);
  for (CLI::Option* const option : hidden_) option->group("Options");
}

// NOLINTNEXTLINE(bugprone-exception-escape): an empty text needs no memory.
NamedHiddenOptions::~NamedHiddenOptions() {
  for (CLI::Option* const option : hidden_) option->group("");
}

}  // namespace tilewall::cli
