#include "sync/base/json_text.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/error.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

bool is_shallow(std::string_view json) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > deepest_json) return false;
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return true;
}

void show_text(std::string_view text, std::string& shown) {
  shown += Json(text.substr(0, longest_shown_json + 1))
               .dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Every level adds a bracket to the text, so the recursion is no deeper than the text is long.
void show(const Json& value, std::string& shown) {
  if (shown.size() > longest_shown_json) return;
  if (value.is_string()) return show_text(value.get_ref<const std::string&>(), shown);
  if (!value.is_structured()) {
    shown += value.dump();
    return;
  }
  shown += value.is_array() ? '[' : '{';
  const char* separator = "";
  for (auto it = value.begin(); it != value.end() && shown.size() <= longest_shown_json; ++it) {
    shown += separator;
    separator = ",";
    if (value.is_object()) {
      show_text(it.key(), shown);
      shown += ':';
    }
    show(*it, shown);
  }
  shown += value.is_array() ? ']' : '}';
}

}  // namespace

Json parse_json(std::string_view text) {
  if (!is_shallow(text)) throw InputError({"message"}, "", "JSON of at most 64 levels", "more");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError({"message"}, "", "JSON", "other text");
  return json;
}

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string shown_json(const Json& value) {
  std::string shown;
  show(value, shown);
  if (shown.size() > longest_shown_json)
    shown.replace(longest_shown_json, std::string::npos, "...");
  return shown;
}

}  // namespace tilewall
