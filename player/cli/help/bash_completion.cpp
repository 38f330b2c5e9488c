#include <fmt/format.h>

#include <sstream>

#include "player/cli/help/help.hpp"

namespace tilewall::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The literal words in a verb's usage: "on" and "off" in "on | off".
std::vector<std::string> literal_words(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const CLI::Option* option : shown_options(verb)) {
    if (!option->get_positional()) continue;
    std::istringstream usage(option->get_description());
    for (std::string part; std::getline(usage, part, '|');) {
      const auto first = part.find_first_not_of(" [");
      const auto last = part.find_last_not_of(" ]");
      if (first == std::string::npos) continue;
      const std::string word = part.substr(first, last - first + 1);
      if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos)
        words.push_back(word);
    }
  }
  return words.size() > 1 ? words : std::vector<std::string>();  // one word is no choice
}

/// Adds a branch of the script for a command, and for each of its verbs: verbs or literal words,
/// options, and the options that have a value.
void add_branches(std::string& script, const CLI::App& command, const std::string& words) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : shown_commands(command)) verbs.push_back(verb->get_name());
  std::vector<std::string> options;
  std::vector<std::string> with_value;
  std::string values;
  for (const CLI::Option* option : shown_options(command)) {
    if (!option->nonpositional()) continue;
    const std::string word = option_word(*option);
    options.push_back(word);
    if (!takes_value(*option)) continue;
    with_value.push_back(word);
    if (const auto listed = listed_values(*option); !listed.empty())
      values += fmt::format("        {}) values='{}' ;;\n", word, joined(listed));
  }
  script += fmt::format(
      "    '{}')\n      verbs='{}'\n      literals='{}'\n      options='{}'\n      "
      "with_value='{}'\n",
      words, joined(verbs), joined(literal_words(command)), joined(options), joined(with_value));
  if (!values.empty()) script += "      case $previous in\n" + values + "      esac\n";
  script += "      ;;\n";
  for (const CLI::App* verb : shown_commands(command))
    add_branches(script, *verb, words + " " + verb->get_name());
}

constexpr const char* script_begin =
    R"(# Completion of tilewall's command line in bash; written by `tilewall manual`.

# Sets verbs, literals (words that a verb takes), options, with_value (options that a word follows)
# and values (of the option $previous) for the commands typed so far.
_tilewall_table() {
  verbs='' literals='' options='' with_value='' values=''
  case $1 in
)";

constexpr const char* script_end = R"(  esac
}

_tilewall() {
  local current=${COMP_WORDS[COMP_CWORD]} previous='' verbs literals options with_value values
  local typed=tilewall i word
  # Which commands were typed: words that are verbs of those before them. Words of options, and
  # what follows these, are not.
  _tilewall_table "$typed"
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ " $with_value " == *" $word "* ]]; then ((++i)); continue; fi
    if [[ $word != -* && " $verbs " == *" $word "* ]]; then
      typed+=" $word"
      _tilewall_table "$typed"
    fi
  done
  previous=${COMP_WORDS[COMP_CWORD - 1]}
  _tilewall_table "$typed"
  COMPREPLY=()
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  elif [[ " $with_value " == *" $previous "* ]]; then
    return  # a value that no table lists: a file's name, perhaps, which is bash's own matter
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n $verbs ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$current")
  elif [[ -n $literals && " $typed" == *" $previous" ]]; then  # the first word behind the verb
    mapfile -t COMPREPLY < <(compgen -W "$literals" -- "$current")
  fi
}

complete -o default -F _tilewall tilewall
)";

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string script = script_begin;
  add_branches(script, app, app.get_name());
  return script + script_end;
}

}  // namespace tilewall::cli
