// Parses the words after a verb of `tilewall ctl`, and makes the texts that it prints. A wrong word
// is refused in one line that names the verb.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "player/cli/ctl/verbs.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

// These functions throw InputError "ctl VERB: expected ..., found ...".

/// The only word; refuses none or several.
[[nodiscard]] const std::string& one_word(const CtlArguments& arguments, std::string_view verb,
                                          std::string_view expected);
/// All words with a blank between them.
[[nodiscard]] std::string all_words(const CtlArguments& arguments);
/// Refuses words after a verb that has none.
void no_words(const CtlArguments& arguments, std::string_view verb);
[[nodiscard]] std::int64_t whole_number(std::string_view verb, const std::string& text);
[[nodiscard]] double number(std::string_view verb, const std::string& text);
/// True for the word "on", false for "off".
[[nodiscard]] bool on_or_off(const CtlArguments& arguments, std::string_view verb);
/// Exactly `count` numbers between commas.
[[nodiscard]] std::vector<double> number_list(std::string_view verb, const std::string& text,
                                              std::size_t count, std::string_view expected);

[[noreturn]] void refuse_word(std::string_view verb, std::string_view expected,
                              const std::string& found);

/// The wall of a running show, by its status: of the wall file, or the small wall that the show
/// made. Throws InputError where the file is no wall file any more.
[[nodiscard]] wall::Wall running_wall(const nlohmann::json& status);

/// A row of the table below a verb's help.
struct HelpLine {
  std::string typed;  ///< "range=MIN,MAX"
  std::string help;
};
/// A table of two columns; long texts in the second one are wrapped.
[[nodiscard]] std::string help_table(std::string_view heading, const std::vector<HelpLine>& lines);

/// {"type": verb} with the region of --region and the client's name of --as, if given.
[[nodiscard]] nlohmann::json request_of(const CtlArguments& arguments, std::string_view verb);

/// The request of a verb that has no words.
template <const char* verb>
[[nodiscard]] nlohmann::json plain_request(const CtlArguments& arguments,
                                           command::WallConnection&) {
  no_words(arguments, verb);
  return request_of(arguments, verb);
}

/// The status of the region of --region, or of the lowest one that shows a volume: its `volume` has
/// camera and style.
[[nodiscard]] nlohmann::json shown_volume_region(const CtlArguments& arguments,
                                                 command::WallConnection& wall,
                                                 std::string_view verb);

/// How a wall's status is printed.
struct StatusStyle {
  bool verbose = false;   ///< all engineering figures, and every item of a list
  bool coloured = false;  ///< colours the light by escape sequences of terminals
};

/// The answer to a "status" request as text: the light with its reasons, what is shown, the counts
/// of the show, and the panels with trouble. Verbose: regions, skew, volumes, and all panels, the
/// worst first.
[[nodiscard]] std::string status_text(const nlohmann::json& status, const StatusStyle& style);

/// The current item of a playlist, counted from 1: "2 of 5: Big Buck Bunny (bbb.mp4)". `playlist`
/// is the field of a region's status.
[[nodiscard]] std::string item_text(const nlohmann::json& playlist);

/// The line that tells what a verb has done, without a line feed: "seek: frame 100 in 98 ms, not
/// shown by c0r0".
[[nodiscard]] std::string done_text(std::string_view verb, const nlohmann::json& answer);
/// Rewrites a refusal of the wall, which names its "message", so that it names the verb or the
/// camera's file that the user typed.
[[nodiscard]] std::string refusal_text(std::string_view verb, const CtlArguments& arguments,
                                       const std::string& line);
/// An event in one line, without a line feed: "late: panel c0r0, frames 3".
[[nodiscard]] std::string event_text(const nlohmann::json& event);

/// The answer to a "cues" request as text, a line for each cue; the one on the wall is marked.
[[nodiscard]] std::string cues_text(const nlohmann::json& answer);

/// The answer to a "logs" request as text, a line for each of its lines: the time in UTC by the
/// clock of the director's machine, host, role, text.
[[nodiscard]] std::string logs_text(const nlohmann::json& logs);
/// The "lines" of an answer that an earlier one did not have. A line counts as the same where host,
/// role and text are.
[[nodiscard]] nlohmann::json lines_since(const nlohmann::json& before, const nlohmann::json& now);

/// Whether standard output is a terminal that may show colours (NO_COLOR is not set).
[[nodiscard]] bool colours_wanted();

}  // namespace tilewall::cli
