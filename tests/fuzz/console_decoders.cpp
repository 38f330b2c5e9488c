// What browsers and programs send to the console, and what it tells of a director's events.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "player/console/access/browser_text.hpp"
#include "player/console/access/request_origin.hpp"
#include "player/console/access/sessions.hpp"
#include "player/console/state/activity_log.hpp"
#include "player/console/state/history.hpp"
#include "player/console/state/merge_patch.hpp"
#include "player/console/state/wall_state.hpp"
#include "player/verbs/verb_list.hpp"
#include "sync/base/check.hpp"
#include "sync/base/json_text.hpp"
#include "tests/fuzz/decoder.hpp"

namespace tilewall::fuzz {

using namespace console;
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_error = 1000;

void decode_page_message(std::span<const std::byte> input) {
  const BrowserMessage message = read_browser_message(text_of(input));
  ++calls.made;
  if (message.kind == MessageKind::unknown) {
    TW_CHECK(!message.error.empty() && message.error.size() < longest_error);
    TW_CHECK(message.error.find('\n') == std::string::npos);
    return;
  }
  ++calls.taken;
  TW_CHECK(message.error.empty());
  TW_CHECK(message.id.is_null() || message.id.is_number());
  if (message.kind != MessageKind::request) return;
  TW_CHECK(message.fields.is_object());
  const Json again = {
      {"type", "request"}, {"id", message.id}, {"verb", message.verb}, {"fields", message.fields}};
  // The text may be 64 levels deep already, but is read again otherwise.
  const BrowserMessage same = read_browser_message(again.dump());
  TW_CHECK(same.kind == MessageKind::request && same.verb == message.verb &&
           same.fields == message.fields);
  if (const verbs::VerbInfo* const verb = verbs::find_verb(message.verb))
    TW_CHECK(verbs::least_role(*verb, choice_of(message.verb, message.fields)) >= verb->role);
}

/// Whether the text is one of the two names of the console below, whatever its case.
bool is_console_name(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower == "127.0.0.1:8080" || lower == "localhost:8080";
}

/// Lines: the headers Host, Origin, Sec-Fetch-Site, Cookie and X-Tilewall-Name; the rest is a body.
void decode_page_request(std::span<const std::byte> input) {
  std::string_view rest = text_of(input);
  const auto line = [&] {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return one;
  };
  const OwnNames own{{"127.0.0.1", "localhost"}, 8080, false};
  const std::string_view host = line();
  TW_CHECK(is_own_host(own, host) == is_console_name(host));
  const std::string_view origin = line();
  const std::string_view site = line();
  constexpr std::string_view scheme = "http://";
  const bool has_own_origin =
      origin.starts_with(scheme) && is_console_name(origin.substr(scheme.size()));
  const bool is_same_site = site == "same-origin";
  TW_CHECK(is_own_page(own, {origin, site}) == (origin.empty() ? is_same_site
                                                : site.empty() ? has_own_origin
                                                               : has_own_origin && is_same_site));
  const std::string_view cookies = line();
  const std::string cookie = cookie_of(cookies, "tilewall_console_8080");
  TW_CHECK(cookies.find(cookie) != std::string_view::npos && cookie.find(';') == std::string::npos);
  const std::string name = person_name(line());
  TW_CHECK(name.size() <= 64 && person_name(name) == name);
  static_cast<void>(Json(name).dump());  // it is UTF-8
  refusing([&] {
    const Json fields = object_of(rest);
    TW_CHECK(fields.is_object());
    for (const verbs::VerbInfo& verb : verbs::verb_list())
      static_cast<void>(verbs::least_role(verb, choice_of(verb.name, fields)));
  });
}

/// An object of a director, as an event and as a status.
void decode_told(std::span<const std::byte> input) {
  refusing([&] {
    const Json json = parse_json(text_of(input));
    if (!json.is_object()) throw InputError({"director"}, "", "a message", shown_json(json));
    ActivityLog log;
    try {
      log.add(json, 0);
    } catch (const Json::exception&) {  // the connection is closed
      return;
    }
    static_cast<void>(log.json().dump());  // it is UTF-8
    History history;
    history.add(json, 5000);
    TW_CHECK(history.json().at("samples").size() == 1);
    WallState state;
    state.set("status", json);
    state.set("commands", log.json());
    state.commit();
    // What the first patch makes of nothing is the whole state.
    Json page = Json::object();
    page.merge_patch(Json::parse(*state.message_from(0, StateReader::operator_)).at("patch"));
    const Json whole =
        Json::parse(*state.message_from(std::nullopt, StateReader::operator_)).at("state");
    TW_CHECK(merge_patch(page, whole) == Json::object());
  });
}

}  // namespace

std::vector<Decoder> console_decoders() {
  const auto message = [](const char* text) { return bytes_of(text); };
  const char* const request =
      "127.0.0.1:8080\nhttp://localhost:8080\nsame-origin\n"
      "a=b; tilewall_console_8080=0123456789abcdef; c=d\n  Ann \xc3\xa9 Lee\n"
      R"({"verb": "note", "cue": "1", "note": "slowly"})";
  return {{"page_message",
           {message(R"({"type": "request", "id": 17, "verb": "seek", "fields": {"by": 24}})"),
            message(R"({"type": "request", "id": 1, "verb": "key", "fields": {"key": "quit"}})"),
            message(R"({"type": "pictures", "on": true})"), message(R"({"type": "full"})")},
           decode_page_message,
           true},
          {"page_request", {bytes_of(request)}, decode_page_request},
          {"told",
           {message(R"({"type": "event", "event": "command", "person": "Ann", "from": "1.2.3.4:5",
                        "request": {"type": "seek", "by": 24}, "error": null, "at_ns": 1})"),
            message(R"({"type": "event", "event": "late", "panel": "c0r0", "cause": "decode"})"),
            message(R"({"type": "status", "light": "green", "fps": 24.0, "due_fps": 24,
                        "frames_late": 0, "skew_us": {"p99": 3}, "restarts": 0})")},
           decode_told,
           true}};
}

}  // namespace tilewall::fuzz
