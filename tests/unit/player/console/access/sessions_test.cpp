// Sessions of the console: kept over its death, forgotten in time, and never of a damaged file.

#include "player/console/access/sessions.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using Json = nlohmann::json;
using verbs::Role;
namespace fs = std::filesystem;

namespace {

const Sessions::Time login{std::chrono::seconds(1'800'000'000)};

/// How many sessions the console knows that finds this file.
std::size_t sessions_in(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "sessions") << text;
  return Sessions(folder / "sessions").size();
}

Json session_json(const Json& name, const Json& used_utc_s) {
  return {{"session", name}, {"person", "Ann"}, {"role", "viewer"}, {"used_utc_s", used_utc_s}};
}

/// A file with two sessions less than the console keeps, all of viewers: number i of 2 and more was
/// used i seconds after `login`.
fs::path file_of_viewers(const test::TemporaryFolder& folder) {
  Json list = Json::array();
  for (std::size_t i = 2; i < Sessions::most; ++i)
    list.push_back(session_json(fmt::format("{:064x}", i), 1'800'000'000 + i));
  std::ofstream(folder / "sessions") << Json{{"sessions", list}};
  return folder / "sessions";
}

}  // namespace

TEST_CASE("a console that is started again knows who has logged in", "[console]") {
  const test::TemporaryFolder folder;
  std::string ann;
  std::string ben;
  {
    Sessions sessions(folder / "sessions");
    ann = sessions.open({"Ann", Role::operator_}, login);
    ben = sessions.open({"Ben \"b\" \xc3\xa9", Role::viewer}, login);
    CHECK(ann.size() == 64);
    CHECK(ann != ben);
  }
  Sessions sessions(folder / "sessions");
  CHECK(sessions.size() == 2);
  REQUIRE(sessions.find(ann, login) != nullptr);
  CHECK(sessions.find(ann, login)->name == "Ann");
  CHECK(sessions.find(ann, login)->role == Role::operator_);
  REQUIRE(sessions.find(ben, login) != nullptr);
  CHECK(sessions.find(ben, login)->name == "Ben \"b\" \xc3\xa9");
  CHECK(sessions.find("", login) == nullptr);
  CHECK(sessions.find(std::string(64, '0'), login) == nullptr);
  sessions.close(ann);
  sessions.close("nobody");
  CHECK(sessions.find(ann, login) == nullptr);
  CHECK(Sessions(folder / "sessions").size() == 1);
}

TEST_CASE("a session ends a week after its last use, over a restart too", "[console]") {
  using std::chrono::hours;
  const test::TemporaryFolder folder;
  Sessions sessions(folder / "sessions");
  const std::string ann = sessions.open({"Ann", Role::viewer}, login);
  CHECK(sessions.find(ann, login + hours(6 * 24)) != nullptr);
  Sessions again(folder / "sessions");
  CHECK(again.find(ann, login + hours(12 * 24)) != nullptr);
  CHECK(again.find(ann, login) != nullptr);  // a clock that was set back takes nothing away
  CHECK(again.find(ann, login + hours(19 * 24) - hours(1)) != nullptr);
  CHECK(again.find(ann, login + hours(26 * 24)) == nullptr);
  static_cast<void>(again.open({"Ben", Role::viewer}, login + hours(30 * 24)));
  CHECK(again.size() == 1);
}

TEST_CASE("of too many sessions the one that was not used for longest goes", "[console]") {
  const test::TemporaryFolder folder;
  Sessions sessions(file_of_viewers(folder));
  const std::string first = sessions.open({"first", Role::viewer}, login);
  const std::string second = sessions.open({"second", Role::viewer}, login);
  CHECK(sessions.size() == Sessions::most);
  const Sessions::Time later = login + std::chrono::hours(1);
  CHECK(sessions.find(first, later) != nullptr);
  static_cast<void>(sessions.open({"last", Role::viewer}, later));
  CHECK(sessions.size() == Sessions::most);
  CHECK(sessions.find(first, later) != nullptr);
  CHECK(sessions.find(second, later) == nullptr);
}

TEST_CASE("many who log in as viewers throw out no operator", "[console]") {
  const test::TemporaryFolder folder;
  Sessions sessions(file_of_viewers(folder));
  const std::string ann = sessions.open({"Ann", Role::operator_}, login);
  const std::string ben = sessions.open({"Ben", Role::presenter}, login);
  for (int i = 0; i < 3; ++i)
    static_cast<void>(sessions.open({"Eve", Role::viewer}, login + std::chrono::hours(1)));
  static_cast<void>(sessions.open({"Dan", Role::operator_}, login + std::chrono::hours(1)));
  CHECK(sessions.size() == Sessions::most);
  CHECK(sessions.find(ann, login) != nullptr);
  CHECK(sessions.find(ben, login) != nullptr);
  CHECK(sessions.find(fmt::format("{:064x}", 5), login) == nullptr);
  CHECK(sessions.find(fmt::format("{:064x}", 6), login) != nullptr);
}

TEST_CASE("a file of sessions that is damaged lets nobody in", "[console]") {
  CHECK(sessions_in("") == 0);
  CHECK(sessions_in("{") == 0);
  CHECK(sessions_in("{}") == 0);
  CHECK(sessions_in("[1, 2]") == 0);
  CHECK(sessions_in(R"({"sessions": 7})") == 0);
  CHECK(sessions_in(R"({"sessions": [{"session": 5}]})") == 0);
  const std::string name(64, 'a');
  const auto one = [](const Json& session) {
    return sessions_in(Json{{"sessions", {session}}}.dump());
  };
  CHECK(one(session_json(name, 1'800'000'000)) == 1);
  CHECK(one(session_json("", 1'800'000'000)) == 0);  // a request without a cookie would be its own
  CHECK(one(session_json(std::string(64, 'X'), 1'800'000'000)) == 0);
  CHECK(one(session_json(name + "a", 1'800'000'000)) == 0);
  for (const Json& used : {Json(-1), Json(std::int64_t{1} << 62), Json("now"), Json(nullptr)})
    CHECK(one(session_json(name, used)) == 0);
  Json king = session_json(name, 1'800'000'000);
  king["role"] = "king";
  CHECK(one(king) == 0);
  Json nobody = session_json(name, 1'800'000'000);
  nobody["person"] = "   ";
  CHECK(one(nobody) == 0);
}

TEST_CASE("people's names are short, printable and whole letters", "[console]") {
  CHECK(person_name("Ann") == "Ann");
  CHECK(person_name("  Ann Lee ") == "Ann Lee");
  CHECK(person_name("") == "");
  CHECK(person_name("   ") == "");
  CHECK(person_name("A\nn\x1b[2J\x7f") == "A?n?[2J?");
  CHECK(person_name("Ann\xc3") == "Ann?");            // a letter that is cut
  CHECK(person_name("\xe2\x80\xae Ann") == "? Ann");  // it would turn the writing
  CHECK(person_name("\xff\xfe") == "??");
  CHECK(person_name(std::string(100, 'x')) == std::string(64, 'x'));
  CHECK(person_name(std::string(100, ' ') + "Ann") == "Ann");
  CHECK(person_name(std::string(63, 'x') + "\xc3\xa9") == std::string(63, 'x'));
  CHECK(person_name(std::string(62, 'x') + "\xc3\xa9") == std::string(62, 'x') + "\xc3\xa9");
  CHECK(person_name(std::string(63, 'x') + " y") == std::string(63, 'x'));
}

TEST_CASE("of a file with more sessions than the console keeps the rest is left out", "[console]") {
  Json list = Json::array();
  for (std::size_t i = 0; i < Sessions::most + 3; ++i)
    list.push_back(session_json(fmt::format("{:064x}", i), 1'800'000'000));
  CHECK(sessions_in(Json{{"sessions", list}}.dump()) == Sessions::most);
}
