#include "player/terminal/cue_list_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sync/base/terminal_text.hpp"

namespace tilewall::terminal {
namespace {

using Json = nlohmann::json;

constexpr int number_columns = 6;
constexpr int name_columns = 24;
constexpr int state_columns = 30;

/// The text in exactly so many columns.
std::string padded(const std::string& text, int columns) {
  std::string fitted = fit_columns(text, columns);
  fitted.append(static_cast<std::size_t>(std::max(columns - columns_of(fitted), 0)), ' ');
  return fitted;
}

std::string text_in(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? printable_text(found->get<std::string>())
                                                     : std::string();
}

/// What people call the cue: its number, else its place in the list.
std::string number_of(const Json& cue) {
  const std::string number = text_in(cue, "number");
  return number.empty() ? fmt::format("({})", cue.at("index").get<std::size_t>() + 1) : number;
}

/// What the operator needs to know of the cue on the wall.
std::string state_of_current(const Json& presentation) {
  std::string state;
  if (presentation.at("for_s").is_number())
    state = duration_text(std::max(presentation.at("for_s").get<double>(), 0.0));
  if (presentation.at("next").is_null())
    return state + (state.empty() ? "" : ", ") + "the last one";
  if (presentation.at("follows_in_s").is_number())
    state += fmt::format("{}goes on in {}", state.empty() ? "" : ", ",
                         duration_text(presentation.at("follows_in_s").get<double>()));
  return state;
}

/// "next: armed", "next: arming", "next: amber, c0r1 and 2 more"
std::string state_of_next(const Json& armed, const std::string& name) {
  if (text_in(armed, "cue") != name) return "next";
  std::string state = "next: " + text_in(armed, "state");
  const Json& missing = armed.at("missing");
  if (missing.empty()) return state;
  state += ", " + text_in(missing.front(), "panel");
  return missing.size() > 1 ? state + fmt::format(" and {} more", missing.size() - 1) : state;
}

}  // namespace

std::optional<std::size_t> first_listed_cue(const Json& status) {
  const auto presentation = status.find("presentation");
  if (presentation == status.end()) return std::nullopt;
  const Json& index = presentation->at("index");
  const std::size_t current = index.is_number() ? index.get<std::size_t>() : 0;
  return current == 0 ? 0 : current - 1;
}

std::vector<CueLine> cue_lines(const Json& status, const Json& cues, int columns, int rows) {
  std::vector<CueLine> lines;
  const auto presentation = status.find("presentation");
  if (presentation == status.end() || !cues.is_object()) return lines;
  const Json& next = presentation->at("next");
  for (const Json& cue : cues.at("cues")) {
    if (static_cast<int>(lines.size()) >= rows) break;
    const bool is_current = cue.at("index") == presentation->at("index");
    const bool is_next = next.is_object() && cue.at("index") == next.at("index");
    const std::string name = text_in(cue, "name");
    std::string state;
    if (is_current)
      state = state_of_current(*presentation);
    else if (is_next)
      state = state_of_next(presentation->at("armed"), name);
    const std::string note = cue.at("note").is_string() ? cue.at("note").get<std::string>() : "";
    const std::string line =
        fmt::format("{} {} {} {} {}", is_current ? '>' : ' ',
                    padded(number_of(cue), number_columns), padded(name, name_columns),
                    padded(state, state_columns), printable_text(note.substr(0, note.find('\n'))));
    lines.push_back(
        {fit_columns(line.substr(0, line.find_last_not_of(' ') + 1), columns), is_current});
  }
  return lines;
}

std::string redraw_text(const std::vector<CueLine>& drawn, const std::vector<CueLine>& lines,
                        int columns) {
  int rows = -1;
  for (const CueLine& line : drawn) rows += 1 + std::max(columns_of(line.text) - 1, 0) / columns;
  std::string text = rows > 0 ? fmt::format("\r\033[{}A", rows) : "";
  text += "\r\033[J";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const CueLine& line = lines[i];
    if (i > 0) text += "\n";
    text += line.is_current ? "\033[1m" + line.text + "\033[0m" : line.text;
  }
  return text;
}

std::string erase_text(const std::vector<CueLine>& drawn) {
  const std::string up = drawn.size() > 1 ? fmt::format("\033[{}A", drawn.size() - 1) : "";
  return up + "\r\033[J";
}

}  // namespace tilewall::terminal
