// The words after a verb of `tilewall ctl`, read one by one: what is wrong is refused in one line
// that names the verb.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "player/cli/ctl/verbs.hpp"

namespace tilewall::cli {

// Each throws InputError "ctl VERB: expected ..., found ...".

/// The only word.
[[nodiscard]] const std::string& one_word(const CtlArguments& arguments, std::string_view verb,
                                          std::string_view expected);
/// All words with a blank between them.
[[nodiscard]] std::string all_words(const CtlArguments& arguments);
void no_words(const CtlArguments& arguments, std::string_view verb);
[[nodiscard]] std::int64_t whole_number(std::string_view verb, const std::string& text);
[[nodiscard]] double number(std::string_view verb, const std::string& text);
/// "on" or "off".
[[nodiscard]] bool on_or_off(const CtlArguments& arguments, std::string_view verb);
/// `count` numbers between commas.
[[nodiscard]] std::vector<double> number_list(std::string_view verb, const std::string& text,
                                              std::size_t count, std::string_view expected);

[[noreturn]] void refuse_word(std::string_view verb, std::string_view expected,
                              const std::string& found);

/// What a verb takes, as a line of its help.
struct HelpLine {
  std::string typed;  ///< "range=MIN,MAX"
  std::string help;
};
/// A line each, `help` broken where it is long and indented alike.
[[nodiscard]] std::string help_table(std::string_view heading, const std::vector<HelpLine>& lines);

/// {"type": verb}, for the region and in the name that were asked for.
[[nodiscard]] nlohmann::json request_of(const CtlArguments& arguments, std::string_view verb);

/// A request without words.
template <const char* verb>
[[nodiscard]] nlohmann::json plain_request(const CtlArguments& arguments,
                                           command::WallConnection&) {
  no_words(arguments, verb);
  return request_of(arguments, verb);
}

/// A wall's status as text.
struct StatusStyle {
  bool verbose = false;   ///< all engineering figures, and every item of a list
  bool coloured = false;  ///< the light, by the escape sequences of terminals
};

/// The answer to a "status" request: the light with its reasons first, what is shown, the counts of
/// the show, and the panels with trouble. Verbose: regions, skew, volumes and every panel, the
/// worst first.
[[nodiscard]] std::string status_text(const nlohmann::json& status, const StatusStyle& style);

/// "2 of 5: Big Buck Bunny (bbb.mp4)": the item of a playlist, counted from 1. `playlist` is that
/// of a region's status.
[[nodiscard]] std::string item_text(const nlohmann::json& playlist);

/// Whether standard output is a terminal that may show colours (NO_COLOR is not set).
[[nodiscard]] bool colours_wanted();

}  // namespace tilewall::cli
