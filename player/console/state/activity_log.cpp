#include "player/console/state/activity_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_frames =
    1'000'000'000;  // greater figures of a strange director say nothing
constexpr std::int64_t joined_ms = 10'000;

std::string text_or(const Json& json, const char* field, const std::string& otherwise) {
  const auto found = json.find(field);
  return found != json.end() && found->is_string() ? printable_text(found->get<std::string>())
                                                   : otherwise;
}

/// "frame 100, by 3": the fields of an object, without those that stand elsewhere.
std::string fields_text(const Json& object, std::initializer_list<std::string_view> left_out) {
  std::string text;
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(left_out, name) != left_out.end() || value.is_null()) continue;
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", printable_text(name),
        value.is_string() ? printable_text(value.get<std::string>()) : shown_json(value));
  }
  return text;
}

std::int64_t whole_or_zero(const Json& json, const char* field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// "c1r1: 3 frames late (decode)", "15 panels: 1 to 3 frames late (decode)"
std::string late_frames_text(const std::map<std::string, std::int64_t>& of_panels,
                             const std::string& cause) {
  const auto frames = [](const auto& of_panel) { return of_panel.second; };
  const auto [first, last] = std::ranges::minmax_element(of_panels, {}, frames);
  const std::int64_t least = first->second;
  const std::int64_t most = last->second;
  return fmt::format(
      "{}: {}{} frame{} late ({})",
      of_panels.size() == 1 ? of_panels.begin()->first : fmt::format("{} panels", of_panels.size()),
      least == most ? "" : fmt::format("{} to ", least), most, most == 1 ? "" : "s", cause);
}

/// "c4r1: fewer ticks, one of 3 ticks is shown"
std::string left_out_text(const std::string& panel, const std::string& cause, std::int64_t nth) {
  return nth > 1 ? fmt::format("{}: {}, one of {} ticks is shown", panel, cause, nth)
                 : fmt::format("{}: {}", panel, cause);
}

/// "2 two", the number and name of a cue.
std::string cue_text(const Json& event) {
  const std::string number = text_or(event, "number", "");
  return number.empty() ? text_or(event, "name", "")
                        : fmt::format("{} {}", number, text_or(event, "name", ""));
}

/// "volume: armed", "volume: amber, c3r0: not open yet"
std::string armed_text(const Json& event) {
  std::string text =
      fmt::format("{}: {}", text_or(event, "cue", "no cue"), text_or(event, "state", ""));
  const Json missing = event.value("missing", Json::array());
  if (missing.empty() || !missing.front().is_object()) return text;
  const Json first = missing.front();
  const Json what = first.value("missing", Json());
  text += fmt::format(", {}: {}", text_or(first, "panel", ""),
                      what.is_string() ? text_or(first, "missing", "") : shown_json(what));
  return missing.size() == 1 ? text : text + fmt::format(" and {} more", missing.size() - 1);
}

/// What an event says to people who read a list of such lines.
std::string event_text(const std::string& name, const Json& event) {
  if (name == "cue") return cue_text(event);
  if (name == "armed") return armed_text(event);
  if (name == "follow") return text_or(event, "cue", "");
  if (name == "note") return text_or(event, "line", "");
  if (name == "panel_lost" || name == "panel_back") return text_or(event, "panel", "");
  if (name != "content") return fields_text(event, {"type", "event"});
  std::string frozen;
  for (const Json& one : event.value("frozen", Json::array()))
    if (one.is_string())
      frozen += (frozen.empty() ? "" : ", ") + printable_text(one.get<std::string>());
  return frozen.empty() ? "moves again" : "frozen: " + frozen;
}

/// The person who asked, else the panel at whose window a key was pressed, or the address that the
/// request came from.
std::string asker(const Json& command) {
  if (std::string person = text_or(command, "person", ""); !person.empty()) return person;
  constexpr std::string_view of_window = "key ";
  const std::string from = text_or(command, "from", "");
  return from.starts_with(of_window) ? "window of " + from.substr(of_window.size()) : "ctl " + from;
}

}  // namespace

void ActivityLog::add(const Json& event, std::int64_t at_utc_ms) {
  const std::string name = text_or(event, "event", "");
  if (name.empty() || name == "scene") return;
  if (name == "late") {
    const std::string panel = text_or(event, "panel", "the wall");
    const std::string cause = text_or(event, "cause", "");
    const std::int64_t frames = whole_or_zero(event, "frames");
    if (frames > 0) return add_late(panel, std::min(frames, most_frames), cause, at_utc_ms);
    const std::int64_t nth = whole_or_zero(event, "every_nth_tick");
    return add_line(name, left_out_text(panel, cause, nth), "", at_utc_ms);
  }
  if (name != "command") return add_line(name, event_text(name, event), "", at_utc_ms);
  const Json request = event.value("request", Json::object());
  if (!request.is_object()) return;
  const std::string fields = fields_text(request, {"type", "person", "as"});
  const std::string verb = text_or(request, "type", "");
  add_line(asker(event), fields.empty() ? verb : verb + ": " + fields,
           text_or(event, "error", "done"), at_utc_ms);
}

void ActivityLog::add_line(const std::string& by, const std::string& what,
                           const std::string& result, std::int64_t at_utc_ms) {
  lines_.emplace(next_++,
                 Json{{"at_utc_ms", at_utc_ms}, {"by", by}, {"what", what}, {"result", result}});
  if (lines_.size() > most) lines_.erase(lines_.begin());
}

void ActivityLog::add_late(const std::string& panel, std::int64_t frames, const std::string& cause,
                           std::int64_t at_utc_ms) {
  const bool is_joined = late_ && late_->line + 1 == next_ && late_->cause == cause &&
                         at_utc_ms - late_->begin_utc_ms < joined_ms;
  if (!is_joined) {
    late_ = LateFrames{.line = next_, .begin_utc_ms = at_utc_ms, .cause = cause, .of_panels = {}};
    add_line("late", "", "", at_utc_ms);
  }
  std::int64_t& of_panel = late_->of_panels[panel];
  of_panel = std::min(of_panel + frames, most_frames);
  lines_.at(late_->line)["what"] = late_frames_text(late_->of_panels, cause);
}

Json ActivityLog::json() const {
  Json lines = Json::object();
  for (const auto& [number, line] : lines_) lines[std::to_string(number)] = line;
  return lines;
}

}  // namespace tilewall::console
