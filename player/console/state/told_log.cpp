#include "player/console/state/told_log.hpp"

#include <fmt/format.h>

#include "sync/base/json_text.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

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

/// The person who asked, else the address that the request came from.
std::string asker(const Json& command) {
  const std::string person = text_or(command, "person", "");
  return person.empty() ? "ctl " + text_or(command, "from", "") : person;
}

}  // namespace

void ToldLog::add(const Json& event, std::int64_t at_utc_ms) {
  const std::string name = text_or(event, "event", "");
  if (name.empty() || name == "scene") return;
  if (name != "command")
    return add_line(name, fields_text(event, {"type", "event"}), "", at_utc_ms);
  const Json request = event.value("request", Json::object());
  if (!request.is_object()) return;
  const std::string fields = fields_text(request, {"type", "person", "as"});
  const std::string verb = text_or(request, "type", "");
  add_line(asker(event), fields.empty() ? verb : verb + ": " + fields,
           text_or(event, "error", "done"), at_utc_ms);
}

void ToldLog::add_line(const std::string& by, const std::string& what, const std::string& result,
                       std::int64_t at_utc_ms) {
  lines_.emplace(next_++,
                 Json{{"at_utc_ms", at_utc_ms}, {"by", by}, {"what", what}, {"result", result}});
  if (lines_.size() > most) lines_.erase(lines_.begin());
}

Json ToldLog::json() const {
  Json lines = Json::object();
  for (const auto& [number, line] : lines_) lines[std::to_string(number)] = line;
  return lines;
}

}  // namespace tilewall::console
