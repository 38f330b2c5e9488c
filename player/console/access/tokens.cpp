#include "player/console/access/tokens.hpp"

#include <sodium.h>

#include <nlohmann/json.hpp>

#include "net/auth_key.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

constexpr std::size_t max_file_bytes = std::size_t{1} << 20;  // a series may name many files
constexpr std::size_t shortest_token = 32;

std::string text_of(const Json& json, std::string_view field, const std::string& file) {
  const auto found = json.is_object() ? json.find(field) : json.end();
  if (!json.is_object() || found == json.end() || !found->is_string())
    throw InputError({file}, field, "a text", "none");
  return found->get<std::string>();
}

std::vector<std::string> texts_of(const Json& json, const char* field, const std::string& file) {
  std::vector<std::string> texts;
  for (const Json& text : json.value(field, Json::array())) {
    if (!text.is_string()) throw InputError({file}, field, "texts", shown_json(text));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace

ConsoleAccess new_access() {
  ConsoleAccess access;
  for (std::string& token : access.tokens) token = net::random_secret_hex();
  return access;
}

std::string login_url(const ConsoleAccess& access, verbs::Role role) {
  return access.url + "#" + access.tokens[static_cast<std::size_t>(role)];
}

std::string to_text(const ConsoleAccess& access) {
  Json tokens = Json::object();
  for (std::size_t i = 0; i < access.tokens.size(); ++i)
    tokens[std::string(verbs::role_names[i])] = access.tokens[i];
  return Json{{"address", access.address},
              {"url", access.url},
              {"tokens", std::move(tokens)},
              {"show_options", access.show_options},
              {"render_options", access.render_options}}
             .dump(1) +
         "\n";
}

ConsoleAccess read_access(const std::filesystem::path& file) {
  const std::string name = file.string();
  const Json json = parse_json(read_text_file(file, max_file_bytes));
  ConsoleAccess access;
  access.address = text_of(json, "address", name);
  access.url = text_of(json, "url", name);
  const Json tokens = json.value("tokens", Json());
  for (std::size_t i = 0; i < access.tokens.size(); ++i) {
    access.tokens[i] = text_of(tokens, verbs::role_names[i], name);
    if (access.tokens[i].size() < shortest_token)
      throw InputError({name}, verbs::role_names[i], "a token of 32 characters or more",
                       "a shorter one");
  }
  access.show_options = texts_of(json, "show_options", name);
  access.render_options = texts_of(json, "render_options", name);
  return access;
}

std::optional<verbs::Role> role_of_token(const ConsoleAccess& access,
                                         std::string_view token) noexcept {
  std::optional<verbs::Role> role;
  for (std::size_t i = 0; i < access.tokens.size(); ++i) {
    const std::string& own = access.tokens[i];
    if (own.size() == token.size() && sodium_memcmp(own.data(), token.data(), own.size()) == 0)
      role = static_cast<verbs::Role>(i);
  }
  return role;
}

}  // namespace tilewall::console
