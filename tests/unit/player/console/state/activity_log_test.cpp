// Commands and events as people read them, with the person behind each.

#include "player/console/state/activity_log.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

using namespace tilewall::console;
using Json = nlohmann::json;

namespace {

/// The one line that an event makes; null where it makes none.
Json told_line(const Json& event) {
  ActivityLog log;
  log.add(event, 5000);
  const Json lines = log.json();
  REQUIRE(lines.size() <= 1);
  return lines.empty() ? Json() : lines.at("1");
}

}  // namespace

TEST_CASE("a command is told with its person, fields and result", "[console]") {
  const Json done = {{"type", "event"},
                     {"event", "command"},
                     {"request", {{"type", "seek"}, {"by", 24}, {"region", "left"}}},
                     {"person", "Ann"},
                     {"from", "127.0.0.1:1"},
                     {"error", nullptr}};
  CHECK(told_line(done) == Json{{"at_utc_ms", 5000},
                                {"by", "Ann"},
                                {"what", "seek: by 24, region left"},
                                {"result", "done"}});
  Json refused = done;
  refused["person"] = nullptr;
  refused["error"] = "seek: by: expected a number, found \"x\"";
  refused["request"] = {{"type", "pause"}, {"person", "Ann"}};
  CHECK(told_line(refused) == Json{{"at_utc_ms", 5000},
                                   {"by", "ctl 127.0.0.1:1"},
                                   {"what", "pause"},
                                   {"result", "seek: by: expected a number, found \"x\""}});
  Json key = done;
  key["person"] = nullptr;
  key["from"] = "key c1r0";
  key["request"] = {{"type", "key"}, {"key", "toggle_pause"}};
  CHECK(told_line(key) == Json{{"at_utc_ms", 5000},
                               {"by", "window of c1r0"},
                               {"what", "key: key toggle_pause"},
                               {"result", "done"}});
}

TEST_CASE("events are told, but scenes, whose commands are", "[console]") {
  CHECK(told_line({{"event", "scene"}, {"version", 4}}).is_null());
  CHECK(told_line({{"type", "event"}}).is_null());
  CHECK(told_line({{"event", 5}}).is_null());
  CHECK(told_line({{"event", "command"}, {"request", 5}}).is_null());
  const Json lost = told_line({{"type", "event"}, {"event", "panel_lost"}, {"panel", "c0r0"}});
  CHECK(lost.at("by") == "panel_lost");
  CHECK(lost.at("what") == "c0r0");
  CHECK(lost.at("result") == "");
}

TEST_CASE("events are told in the words of people", "[console]") {
  const auto what = [](const char* name, Json event) {
    event["event"] = name;
    return told_line(event).at("what").get<std::string>();
  };
  CHECK(what("late", {{"panel", "c1r1"}, {"frames", 3}, {"cause", "decode"}}) ==
        "c1r1: 3 frames late (decode)");
  CHECK(what("late", {{"panel", "c1r1"}, {"frames", 1}, {"cause", "decode"}}) ==
        "c1r1: 1 frame late (decode)");
  CHECK(what("late",
             {{"panel", "c4r1"}, {"frames", 0}, {"cause", "fewer ticks"}, {"every_nth_tick", 3}}) ==
        "c4r1: fewer ticks, one of 3 ticks is shown");
  CHECK(what("cue", {{"name", "two"}, {"number", "2"}}) == "2 two");
  CHECK(what("cue", {{"name", "two"}, {"number", nullptr}}) == "two");
  CHECK(what("armed", {{"cue", "volume"}, {"state", "armed"}, {"missing", Json::array()}}) ==
        "volume: armed");
  const Json missing = {{{"panel", "c3r0"}, {"missing", "not open yet"}},
                        {{"panel", "c4r0"}, {"missing", "not open yet"}}};
  CHECK(what("armed", {{"cue", "volume"}, {"state", "amber"}, {"missing", missing}}) ==
        "volume: amber, c3r0: not open yet and 1 more");
  CHECK(what("content", {{"frozen", {"c0r0", "sound"}}}) == "frozen: c0r0, sound");
  CHECK(what("content", {{"frozen", Json::array()}}) == "moves again");
  CHECK(what("end", Json::object()) == "");
}

TEST_CASE("late frames of all panels share one line", "[console]") {
  ActivityLog log;
  const auto late = [&](const char* panel, int frames, const char* cause, std::int64_t at_utc_ms) {
    log.add({{"event", "late"}, {"panel", panel}, {"frames", frames}, {"cause", cause}}, at_utc_ms);
  };
  const auto texts = [&] {
    std::vector<std::string> what;
    for (const Json& line : log.json()) what.push_back(line.at("what"));
    return what;
  };
  using Texts = std::vector<std::string>;
  late("c0r0", 1, "decoder", 1000);
  late("c1r0", 1, "decoder", 1000);
  CHECK(texts() == Texts{"2 panels: 1 frame late (decoder)"});
  late("c1r0", 2, "decoder", 10'999);
  CHECK(texts() == Texts{"2 panels: 1 to 3 frames late (decoder)"});
  late("c1r0", 1, "decoder", 11'000);  // ten seconds after the first
  CHECK(texts() == Texts{"2 panels: 1 to 3 frames late (decoder)", "c1r0: 1 frame late (decoder)"});
  late("c1r0", 1, "swap", 11'000);  // another cause
  CHECK(texts().back() == "c1r0: 1 frame late (swap)");
  log.add_line("Ann", "pause", "done", 11'001);
  late("c1r0", 4, "swap", 11'002);  // after a command, so that lines stay in their order
  CHECK(texts().size() == 5);
  CHECK(texts().back() == "c1r0: 4 frames late (swap)");
  CHECK(log.json().at("5").at("by") == "late");
  CHECK(log.json().at("5").at("at_utc_ms") == 11'002);
}

TEST_CASE("figures of late frames that are out of all reason stay bounded", "[console]") {
  ActivityLog log;
  for (int i = 0; i < 3; ++i)
    log.add({{"event", "late"}, {"frames", std::numeric_limits<std::int64_t>::max()}}, 1);
  CHECK(log.json().at("1").at("what") == "the wall: 1000000000 frames late ()");
  CHECK(log.json().size() == 1);
}

TEST_CASE("control characters of others do not reach people", "[console]") {
  const Json told = told_line({{"event", "command"},
                               {"person", "A\x1b[2J"},
                               {"request", {{"type", "goto\n"}, {"na\tme", "x\x07"}}}});
  CHECK(told.at("by") == "A?[2J");
  CHECK(told.at("what") == "goto?: na?me x?");
}

TEST_CASE("the newest 200 lines are kept, by growing numbers", "[console]") {
  ActivityLog log;
  for (int i = 1; i <= 250; ++i) log.add_line("Ann", std::to_string(i), "done", i);
  const Json lines = log.json();
  CHECK(lines.size() == ActivityLog::most);
  CHECK_FALSE(lines.contains("50"));
  CHECK(lines.at("51").at("what") == "51");
  CHECK(lines.at("250").at("at_utc_ms") == 250);
}
