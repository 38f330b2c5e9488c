#include "player/console/access/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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
constexpr std::size_t session_name_length = 64;
constexpr std::size_t max_sessions_file_bytes = std::size_t{1} << 20;
constexpr std::int64_t latest_utc_s = 9'000'000'000;  // a Time is in ns, and ends in 2262
// The time of a session's last use is written no more often.
constexpr std::chrono::hours write_interval{1};

std::int64_t utc_seconds(Sessions::Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// Whether the name has the form that open() makes. The name "" is that of a request without a
/// cookie; a session of that name, in a damaged file, would let everybody in.
bool is_session_name(std::string_view name) {
  return name.size() == session_name_length &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string person_name(std::string_view typed) {
  std::string name = printable_text(typed);
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  while (name.size() > longest_name || (!name.empty() && name.back() == ' ')) {
    // A letter of several bytes goes as a whole.
    while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xC0U) == 0x80U)
      name.pop_back();
    if (!name.empty()) name.pop_back();
  }
  return name;
}

Sessions::Sessions(std::filesystem::path file) : file_(std::move(file)) { read(); }

std::string Sessions::open(Person person, Time now) {
  std::erase_if(sessions_,
                [&](const auto& entry) { return entry.second.used + unused_limit < now; });
  if (sessions_.size() >= most)
    sessions_.erase(std::ranges::min_element(sessions_, {}, [](const auto& entry) {
      return std::pair(entry.second.person.role, entry.second.used);
    }));
  std::string name = net::random_secret_hex();
  sessions_.emplace(name, Session{std::move(person), now, now});
  write();
  return name;
}

const Person* Sessions::find(std::string_view name, Time now) {
  const auto found = sessions_.find(name);
  if (found == sessions_.end() || found->second.used + unused_limit < now) return nullptr;
  found->second.used = std::max(found->second.used, now);
  if (found->second.written + write_interval < now) write();
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
    const auto name = one.at("session").get<std::string>();
    const auto used_s = one.at("used_utc_s").get<std::int64_t>();
    if (!is_session_name(name) || used_s < 0 || used_s > latest_utc_s) continue;
    const Time used{std::chrono::seconds(used_s)};
    sessions_.emplace(name, Session{std::move(person), used, used});
  }
} catch (const std::exception& error) {
  log_line("{}: {}; everybody logs in again", file_.string(), error.what());
  sessions_.clear();
}

void Sessions::write() noexcept try {
  Json list = Json::array();
  for (auto& [name, session] : sessions_) {
    session.written = session.used;
    list.push_back({{"session", name},
                    {"person", session.person.name},
                    {"role", verbs::name_of(session.person.role)},
                    {"used_utc_s", utc_seconds(session.used)}});
  }
  write_private_file(file_, Json{{"sessions", std::move(list)}}.dump());
} catch (const std::exception& error) {  // the session holds until this process ends
  log_line("{}", error.what());
}

}  // namespace tilewall::console
