// The list of verbs against the director's code, the help of `tilewall ctl`, and the console's
// description of its interface.

#include "player/verbs/verb_list.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "player/console/openapi.hpp"
#include "player/director/verbs/verbs.hpp"
#include "sync/base/error.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::verbs;
using Json = nlohmann::json;
using Names = std::set<std::string>;

namespace {

/// Verbs that the director answers beside its table of those that make a scene.
const Names other_verbs = {"restart", "status", "logs",     "wall",      "watch",
                           "panic",   "resume", "freeze",   "show",      "cue",
                           "cues",    "live",   "snapshot", "subscribe", "quit"};

Names listed_verbs() {
  Names names;
  for (const VerbInfo& verb : verb_list()) CHECK(names.insert(std::string(verb.name)).second);
  return names;
}

Names listed_fields(const VerbInfo& verb) {
  Names names;
  for (const Field& field : verb.fields) CHECK(names.insert(std::string(field.name)).second);
  return names;
}

bool is_of(FieldType type, const Json& value) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::number:
      return value.is_number();
    case FieldType::whole:
      return value.is_number_integer();
    case FieldType::flag:
      return value.is_boolean();
    case FieldType::list:
      return value.is_array();
    case FieldType::object:
      return value.is_object();
    case FieldType::any:
      return value.is_number() || value.is_string();
  }
  return false;
}

Json pattern() {
  return {{"kind", "pattern"}, {"path", "grid"}, {"files", Json::array()},
          {"size_px", {0, 0}}, {"frames", 1},    {"rate_fps", {24, 1}},
          {"audio", ""}};
}

/// Good requests, which together have every field of every verb that makes a scene.
std::vector<Json> good_requests() {
  const Json rect = {0, 0, 100, 100};
  std::vector<Json> requests;
  for (const char* const plain : {"play", "pause", "toggle_pause", "reverse", "next", "previous"})
    requests.push_back({{"type", plain}});
  for (const char* const with_on : {"blank", "overlay", "hints", "mute"})
    requests.push_back({{"type", with_on}, {"on", true}});
  const std::vector<Json> more = {
      {{"type", "remove_region"}, {"region", "left"}},
      {{"type", "seek"}, {"frame", 1}},
      {{"type", "seek"}, {"by", 1}},
      {{"type", "seek"}, {"seconds", 1.5}},
      {{"type", "seek"}, {"by_seconds", 1.5}},
      {{"type", "step"}, {"by", -1}},
      {{"type", "speed"}, {"speed", 0.5}},
      {{"type", "speed"}, {"speed", "1/2"}},
      {{"type", "loop"}, {"mode", "ping_pong"}},
      {{"type", "range"}, {"first", 1}, {"last", 2}},
      {{"type", "goto"}, {"item", 1}},
      {{"type", "goto"}, {"name", "a title"}},
      {{"type", "view"}, {"view_px", rect}, {"glide_s", 1}},
      {{"type", "view"}, {"whole", true}},
      {{"type", "zoom"}, {"factor", 2}, {"x", 1}, {"y", 1}, {"glide_s", 1}},
      {{"type", "one_to_one"}, {"x", 1}, {"y", 1}, {"glide_s", 1}},
      {{"type", "pan"}, {"dx", 1}, {"dy", 1}, {"glide_s", 1}},
      {{"type", "fit"}, {"mode", "cover"}},
      {{"type", "camera"}, {"camera", {{"fov_deg", 40}}}, {"glide_s", 1}},
      {{"type", "camera"}, {"orbit_deg", {1, 2, 3}}},
      {{"type", "style"}, {"change", {{"lit", true}}}, {"glide_s", 1}},
      {{"type", "adjust"}, {"what", "opacity"}, {"by", 1.5}, {"glide_s", 1}},
      {{"type", "open"}, {"source", pattern()}},
      {{"type", "compare"}, {"mode", "swipe"}, {"source", pattern()}, {"line", 0.5}},
      {{"type", "compare"}, {"mode", "difference"}, {"source", pattern()}, {"gain", 2}},
      {{"type", "region"},
       {"canvas_px", rect},
       {"clip_px", rect},
       {"opacity", 1},
       {"blend", "over"},
       {"owner", "ann"},
       {"group", "g"},
       {"place", 0}},
      {{"type", "region"}, {"unclip", true}, {"blend", "difference"}, {"gain", 2}},
      {{"type", "add_region"},
       {"region", "new"},
       {"source", pattern()},
       {"canvas_px", rect},
       {"clip_px", rect},
       {"opacity", 1},
       {"blend", "difference"},
       {"gain", 2},
       {"owner", "ann"},
       {"group", "g"}},
      {{"type", "volume"}, {"volume", 0.5}},
      {{"type", "key"}, {"key", "toggle_pause"}},
      {{"type", "bezels"}, {"mode", "hide"}},
      {{"type", "content"}, {"mode", "flat"}}};
  requests.insert(requests.end(), more.begin(), more.end());
  return requests;
}

const Names common_fields = {"type", "region", "once"};

Names director_verbs() {
  using namespace director;
  Names names;
  for (const auto& group : {transport_verbs(), view_verbs(), region_verbs(), compare_verbs(),
                            wall_verbs(), volume_verbs()})
    for (const Verb& verb : group) names.insert(std::string(verb.name));
  return names;
}

}  // namespace

TEST_CASE("the list has the director's verbs, and no others", "[verbs]") {
  Names known = director_verbs();
  known.insert(other_verbs.begin(), other_verbs.end());
  CHECK(listed_verbs() == known);
}

TEST_CASE("the director takes every field of the list, of its type", "[verbs]") {
  const wall::Wall wall = wall::load_wall(test::source_path("tests/data/walls/two-by-one.toml"));
  std::map<std::string, Names> used;
  for (const Json& request : good_requests()) {
    CAPTURE(request);
    const auto name = request.at("type").get<std::string>();
    const VerbInfo* const verb = find_verb(name);
    REQUIRE(verb != nullptr);
    CHECK_NOTHROW(director::command_of(request, wall));
    Names& fields = used[name];
    for (const auto& [field, value] : request.items()) {
      CAPTURE(field);
      if (common_fields.contains(field)) continue;
      fields.insert(field);
      const auto listed = std::ranges::find(verb->fields, field, &Field::name);
      REQUIRE(listed != verb->fields.end());
      CHECK(is_of(listed->type, value));
      // Another type than the list's is refused.
      Json wrong = request;
      wrong[field] = value.is_boolean() ? Json("yes") : Json(true);
      CHECK_THROWS_AS(director::command_of(wrong, wall), InputError);
    }
  }
  for (const std::string& name : director_verbs()) {
    CAPTURE(name);
    Names listed = listed_fields(*find_verb(name));
    if (name == "next") listed.erase("cue");  // of presentations alone
    CHECK(used[name] == listed);
  }
}

TEST_CASE("the help of ctl is the list's", "[verbs]") {
  const ProgramResult help = run_program({test::program_path("tilewall"), "ctl", "--help"});
  REQUIRE(help.exit_code == 0);
  std::istringstream lines(help.out.substr(help.out.find("Subcommands:\n")));
  Json told;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) {
    const std::size_t end = line.find(' ', 2);
    told[line.substr(2, end - 2)] = line.substr(line.find_first_not_of(' ', end));
  }
  Json listed;
  for (const VerbInfo& verb : verb_list()) listed[std::string(verb.name)] = std::string(verb.help);
  // A key camera of a path is a file's, which the command changes.
  CHECK(told.erase("keyframe") == 1);
  // What belongs to a connection, and regions that come and go, have another form in a shell; the
  // page alone draws the wall and lists cues.
  listed["events"] = listed.at("subscribe");
  for (const char* const absent :
       {"subscribe", "watch", "wall", "cues", "add_region", "remove_region"})
    listed.erase(absent);
  CHECK(told == listed);
}

TEST_CASE("the console's interface is described verb by verb", "[verbs]") {
  const Json api = Json::parse(console::openapi("http://127.0.0.1:1/").dump());
  CHECK(api.at("openapi") == "3.0.3");
  CHECK(api.at("servers").at(0).at("url") == "http://127.0.0.1:1/api/v1");
  Names posted;
  for (const auto& [path, methods] : api.at("paths").items())
    if (methods.contains("post") && !path.starts_with("/tools/")) posted.insert(path.substr(1));
  for (const char* const session : {"login", "logout"}) CHECK(posted.erase(session) == 1);
  Names listed = listed_verbs();
  for (const char* const absent : {"subscribe", "watch"}) listed.erase(absent);
  CHECK(posted == listed);
  for (const VerbInfo& verb : verb_list()) {
    CAPTURE(verb.name);
    if (!console::is_posted(verb.name)) continue;
    const Json& post = api.at("paths").at("/" + std::string(verb.name)).at("post");
    CHECK(post.at("summary") == verb.help);
    CHECK(post.at("description").get<std::string>().find(name_of(verb.role)) != std::string::npos);
    const Json& schema = post.at("requestBody").at("content").at("application/json").at("schema");
    Names fields;
    for (const auto& [name, field] : schema.at("properties").items()) {
      fields.insert(name);
      CHECK_FALSE(field.at("description").get<std::string>().empty());
    }
    for (const Field& field : verb.fields)
      CHECK(schema.at("properties").at(std::string(field.name)).at("description") == field.help);
    Names expected = listed_fields(verb);
    if (scope_of(verb) == Scope::region) expected.insert("region");
    if (scope_of(verb) != Scope::nothing) expected.insert("once");
    CHECK(fields == expected);
  }
  for (const char* const path : {"/status", "/events", "/history", "/snapshot", "/session",
                                 "/openapi.json", "/movies/{picture}"})
    CHECK(api.at("paths").at(path).contains("get"));
  for (const char* const path : {"/tools/save", "/tools/rehearse", "/tools/render", "/login"}) {
    const Json& post = api.at("paths").at(path).at("post");
    CHECK(post.at("requestBody").at("content").contains("application/json"));
  }
  CHECK_FALSE(api.at("paths").at("/logout").at("post").contains("requestBody"));
  const auto& watch_fields = find_verb("watch")->fields;
  CHECK(std::ranges::find(watch_fields, "bytes_per_s", &Field::name)->type == FieldType::whole);
}

TEST_CASE("verbs take once where a repetition would change the wall again", "[verbs]") {
  // Those of the director's table make a scene; of the others these change something.
  const Names changing = {"panic", "resume", "freeze", "show", "live", "restart"};
  for (const VerbInfo& verb : verb_list()) {
    CAPTURE(verb.name);
    const std::string name(verb.name);
    CHECK((scope_of(verb) != Scope::nothing) ==
          (!other_verbs.contains(name) || changing.contains(name)));
  }
  for (const char* const of_region : {"seek", "view", "camera", "open", "remove_region", "key"})
    CHECK(scope_of(*find_verb(of_region)) == Scope::region);
  for (const char* const of_wall : {"blank", "volume", "bezels", "panic", "live"})
    CHECK(scope_of(*find_verb(of_wall)) == Scope::wall);
}

TEST_CASE("roles have names, and each may do what those before it may", "[verbs]") {
  CHECK(role_of("viewer") == Role::viewer);
  CHECK(role_of("presenter") == Role::presenter);
  CHECK(role_of("operator") == Role::operator_);
  CHECK_FALSE(role_of("king"));
  CHECK_FALSE(role_of(""));
  CHECK(Role::viewer < Role::presenter);
  CHECK(Role::presenter < Role::operator_);
  CHECK(find_verb("") == nullptr);
  CHECK(find_verb("pasue") == nullptr);
  const auto role = [](const char* verb, const char* choice) {
    return least_role(*find_verb(verb), choice);
  };
  CHECK(role("key", "quit") == Role::operator_);
  CHECK(role("key", "faster") == Role::presenter);
  CHECK(role("key", "add_keyframe") == Role::operator_);
  CHECK(role("key", "remove_keyframe") == Role::operator_);
  CHECK(role("key", "preview_path") == Role::presenter);
  CHECK(role("cue", "arm") == Role::presenter);
  CHECK(role("cue", "note") == Role::operator_);
  CHECK(role("cue", "update") == Role::operator_);
  CHECK(role("status", "") == Role::viewer);
  for (const char* const verb : {"quit", "show", "open", "snapshot", "region"})
    CHECK(role(verb, "") == Role::operator_);
}
