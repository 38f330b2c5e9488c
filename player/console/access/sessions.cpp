#include "player/console/access/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "net/auth_key.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_name = 64;
constexpr std::size_t max_sessions_file_bytes = std::size_t{1} << 20;

std::int64_t utc_seconds(Sessions::Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

std::string person_name(std::string_view typed) {
  std::string name = printable_text(typed);
  while (name.size() > longest_name || (!name.empty() && name.back() == ' ')) {
    // A letter of several bytes goes as a whole.
    while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xC0U) == 0x80U)
      name.pop_back();
    if (!name.empty()) name.pop_back();
  }
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  return name;
}

Sessions::Sessions(std::filesystem::path file) : file_(std::move(file)) { read(); }

std::string Sessions::open(Person person, Time now) {
  std::erase_if(sessions_,
                [&](const auto& entry) { return entry.second.used + unused_limit < now; });
  if (sessions_.size() >= most)
    sessions_.erase(std::ranges::min_element(sessions_, {},
                                             [](const auto& entry) { return entry.second.used; }));
  std::string name = net::random_secret_hex();
  sessions_.emplace(name, Session{std::move(person), now});
  write();
  return name;
}

const Person* Sessions::find(std::string_view name, Time now) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end() || found->second.used + unused_limit < now) return nullptr;
  found->second.used = std::max(found->second.used, now);
  return &found->second.person;
}

void Sessions::close(std::string_view name) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return;
  sessions_.erase(found);
  write();
}

void Sessions::read() try {
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return;
  const Json json = parse_json(read_text_file(file_, max_sessions_file_bytes));
  for (const Json& one : json.at("sessions")) {
    const auto role = verbs::role_of(one.at("role").get<std::string>());
    Person person{person_name(one.at("person").get<std::string>()), verbs::Role::viewer};
    if (!role || person.name.empty() || sessions_.size() >= most) continue;
    person.role = *role;
    const Time used{std::chrono::seconds(one.at("used_utc_s").get<std::int64_t>())};
    sessions_.emplace(one.at("session").get<std::string>(), Session{std::move(person), used});
  }
} catch (const std::exception& error) {
  log_line("{}: {}; everybody logs in again", file_.string(), error.what());
  sessions_.clear();
}

void Sessions::write() const noexcept try {
  Json list = Json::array();
  for (const auto& [name, session] : sessions_)
    list.push_back({{"session", name},
                    {"person", session.person.name},
                    {"role", verbs::name_of(session.person.role)},
                    {"used_utc_s", utc_seconds(session.used)}});
  write_file_atomically(file_, Json{{"sessions", std::move(list)}}.dump());
} catch (const std::exception& error) {  // the session holds until this process ends
  log_line("{}", error.what());
}

}  // namespace tilewall::console
