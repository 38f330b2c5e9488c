#include "player/console/access/browser_text.hpp"

#include <algorithm>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

/// A member of an object; null for other values, and where there is none.
Json member_of(const Json& json, std::string_view name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() ? *found : Json();
}

void read_message(const Json& json, BrowserMessage& message) {
  const Json type = member_of(json, "type");
  if (type == "full") {
    message.kind = MessageKind::full;
  } else if (type == "pictures") {
    const Json on = member_of(json, "on");
    if (!on.is_boolean()) throw InputError({"message"}, "on", "true or false", shown_json(on));
    message.on = on.get<bool>();
    message.kind = MessageKind::pictures;
  } else if (type == "request") {
    const Json verb = member_of(json, "verb");
    if (!verb.is_string()) throw InputError({"message"}, "verb", "a verb", shown_json(verb));
    message.verb = verb.get<std::string>();
    message.fields = json.contains("fields") ? json.at("fields") : Json::object();
    if (!message.fields.is_object())
      throw InputError({"message"}, "fields", "an object", shown_json(message.fields));
    message.kind = MessageKind::request;
  } else {
    throw InputError({"message"}, "type", "request, full or pictures", shown_json(type));
  }
}

}  // namespace

BrowserMessage read_browser_message(std::string_view text) {
  BrowserMessage message;
  try {
    const Json json = parse_json(text);
    if (!json.is_object()) throw InputError({"message"}, "", "an object", shown_json(json));
    const Json id = member_of(json, "id");
    if (id.is_number()) message.id = id;
    read_message(json, message);
  } catch (const InputError& error) {
    message.kind = MessageKind::unknown;
    message.error = error.what();
  }
  return message;
}

std::string cookie_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return std::string(one.substr(name.size() + 1));
  }
  return "";
}

Json object_of(std::string_view body) {
  Json json = body.empty() ? Json::object() : parse_json(body);
  if (!json.is_object()) throw InputError({"body"}, "", "a JSON object", shown_json(json));
  return json;
}

std::string choice_of(std::string_view verb, const Json& fields) {
  const Json choice = member_of(fields, verb == "key" ? "key" : "verb");
  return choice.is_string() ? choice.get<std::string>() : "";
}

}  // namespace tilewall::console
