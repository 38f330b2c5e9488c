// The text that `tilewall ctl status` makes of a status, word for word.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "player/cli/ctl/words.hpp"

using namespace tilewall;
using namespace tilewall::cli;

namespace {
namespace status_text_test {

using Json = nlohmann::json;

Json panel(const std::string& name) {
  return {{"panel", name},
          {"connected", true},
          {"frame", 120},
          {"frames_late", 0},
          {"silent_s", 0.5},
          {"skew_us", {{"p50", 11.0}, {"p99", 12.0}}},
          {"restarts", 0},
          {"swap_offset_us", {{"p50", 21.0}, {"p99", 22.0}}},
          {"realtime", true},
          {"late_cause", nullptr},
          {"buffers_ready", 3},
          {"buffers", 4},
          {"staged_bytes", 0},
          {"stage_budget_bytes", 0},
          {"level", 1},
          {"clock_bound_us", 1.5},
          {"presenter", "window"},
          {"clock_state", "locked"},
          {"volume", nullptr}};
}

Json region(const std::string& name) {
  return {{"region", name},  {"path", "movies/flight"}, {"frame", 12},
          {"frames", 240},   {"direction", 1},          {"speed", 1.0},
          {"paused", false}, {"base_fps", 24.0},        {"view_px", nullptr}};
}

Json status() {
  return {{"light", "yellow"},
          {"reasons", {"one", "two"}},
          {"wall", {{"name", "5x3"}}},
          {"phase", "playing"},
          {"running_s", 61.0},
          {"frame", 123},
          {"fps", 23.5},
          {"due_fps", 24.0},
          {"late", "drop"},
          {"scene", {{"regions", {region("main")}}}},
          {"frames_due", 130},
          {"frames_shown", 128},
          {"frames_late", 2},
          {"restarts", 1},
          {"decoder_deaths", 1},
          {"skew_us", {{"p50", 7.0}, {"p99", 8.0}, {"max", 9.0}}},
          {"per_panel", {panel("left")}}};
}

const std::string head =
    "yellow: one; two\n"
    "5x3: playing, frame 123 of 240, 0:05.1 of 0:10.0, 23.50 of 24 fps, late policy drop, for 61 "
    "s\n";
const std::string counts = "shown 128 of 130 frames, 2 late; 1 restart, 1 decoder death\n";

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The lines that begin with one of these words, in their order.
std::vector<std::string> lines_of(const std::string& text, const std::vector<std::string>& starts) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    for (const std::string& start : starts)
      if (line.starts_with(start)) lines.push_back(line);
  return lines;
}

}  // namespace status_text_test
}  // namespace

TEST_CASE("a status as text has the light, the place and the counts", "[ctl]") {
  using namespace status_text_test;
  Json one = status();
  CHECK(status_text(one, {}) == head + counts);
  Json hidden = one;
  for (const char* const field : {"blank", "frozen", "muted"}) hidden["scene"][field] = true;
  CHECK(status_text(hidden, {}) == head +
                                       "the wall is black, until ctl blank off\n"
                                       "the wall is frozen, until ctl freeze off\n"
                                       "the sound is muted, until ctl mute off\n" +
                                       counts);
  hidden["scene"]["panic"] = true;
  CHECK(status_text(hidden, {}) ==
        head + "panic: the wall is black and silent, until ctl resume\n" + counts);
  CHECK(status_text(one, {false, true}).starts_with("\033[1;33myellow\033[0m: one; two\n5x3: "));
  one["light"] = "red";
  CHECK(status_text(one, {false, true}).starts_with("\033[1;31mred\033[0m: "));

  one = status();
  one["damage"] = {{"frames_missing", 62}, {"decoder_deaths", 5}};
  one["decimation"] = {{"every_nth_tick", 4}, {"panel", "left"}, {"cause", "decode"}};
  one["last_note"] = "a note";
  one["restarts"] = 2;
  one["decoder_deaths"] = 0;
  CHECK(status_text(one, {}) ==
        head +
            "shown 128 of 130 frames, 2 late; 2 restarts, 0 decoder deaths\n"
            "damage so far: 62 frames missing\n"
            "shows 1 of 4 ticks, as panel left misses some: decode\n"
            "last note: a note\n");
}

TEST_CASE("a status as text leaves out what is not known or has no end", "[ctl]") {
  using namespace status_text_test;
  const auto second_line = [](const Json& json) {
    return lines_of(status_text(json, {}), {"5x3"}).at(0);
  };
  const std::string rest = ", 23.50 of 24 fps, late policy drop, for 61 s";
  Json one = status();
  Json& first = one["scene"]["regions"][0];
  one["frame"] = nullptr;
  CHECK(second_line(one) == "5x3: playing, frame - of 240" + rest);
  one["frame"] = 123;
  first["frames"] = std::int64_t{1} << 40;
  CHECK(second_line(one) == "5x3: playing, frame 123, 0:05.1" + rest);
  first["base_fps"] = 0.0;
  CHECK(second_line(one) == "5x3: playing, frame 123" + rest);
  first["base_fps"] = 12.5;
  one["due_fps"] = 0.0;
  CHECK(second_line(one) ==
        "5x3: playing, frame 123, 0:09.8, 12.5 fps when it plays, late policy drop, for 61 s");
}

TEST_CASE("a status as text names every region where there are several", "[ctl]") {
  using namespace status_text_test;
  Json one = status();
  CHECK_THAT(status_text(one, {true, false}),
             Catch::Contains("\nmain: movies/flight, frame 12 of 240, 1 times its rate\n"));
  Json side = region("side");
  side["frame"] = 7;
  side["frames"] = 90;
  side["direction"] = -1;
  side["speed"] = 0.5;
  side["paused"] = true;
  side["view_px"] = {10, 20, 300, 200};
  one["scene"]["regions"].push_back(side);
  CHECK(status_text(one, {}) == head + counts +
                                    "main: movies/flight, frame 12 of 240, 1 times its rate\n"
                                    "side: movies/flight, frame 7 of 90, -0.5 times its rate, "
                                    "paused, view [10,20,300,200]\n");
}

TEST_CASE("a status as text tells a live source by its timesteps", "[ctl][live]") {
  using namespace status_text_test;
  Json one = status();
  one["phase"] = "paused";
  one["frames_due"] = 0;
  one["live"] = Json::array({{{"region", "main"},
                              {"name", "gs"},
                              {"field", "u"},
                              {"timestep", 41},
                              {"age_s", 0.31},
                              {"held", false},
                              {"policy", "nth"},
                              {"nth", 4},
                              {"announced", 58},
                              {"shown", 40},
                              {"skipped", {{"late", 1}, {"blocks", 2}}},
                              {"last_skip", "timestep 7: rank 3 is late"},
                              {"waits_for", ""}}});
  const std::string first = "yellow: one; two\n5x3: live:gs, timestep 41, for 61 s\n";
  const std::string last = "1 restart, 1 decoder death\n";
  CHECK(status_text(one, {}) ==
        first +
            "live gs: timestep 41 of field u, 0.3 s old, follows (policy nth:4); 40 shown, 3 "
            "skipped; last skipped: timestep 7: rank 3 is late\n" +
            last);
  Json late = one;
  late["live"][0]["late"] = 3;
  late["live"][0]["late_by_panel"] = {{"c0r0", 1}, {"c1r0", 2}};
  CHECK_THAT(status_text(late, {}),
             Catch::Contains("; 40 shown, 3 skipped, 3 late on c0r0, c1r0; last skipped: "));
  one["live"][0]["late"] = 0;
  one["live"][0]["held"] = true;
  one["live"][0]["last_skip"] = "";
  one["live"][0]["last_refused"] = "127.0.0.1:7: grid: expected 8";
  one["live"][0]["field"] = "";
  CHECK(status_text(one, {}) ==
        first +
            "live gs: timestep 41, 0.3 s old, held, the newest is 57; 40 shown, 3 skipped; last "
            "refused: 127.0.0.1:7: grid: expected 8\n" +
            last);
  one["live"][0]["last_refused"] = "";
  one["live"][0]["timestep"] = nullptr;
  one["live"][0]["waits_for"] = "2 of 4 ranks are connected";
  CHECK(status_text(one, {}) ==
        "yellow: one; two\n5x3: live:gs, no timestep yet, for 61 s\n"
        "live gs: no timestep yet; 2 of 4 ranks are connected\n" +
            last);
  // Beside a movie it has a line of its own.
  one["live"][0]["region"] = "side";
  one["phase"] = "playing";
  one["frames_due"] = 130;
  CHECK(status_text(one, {}) ==
        head + "live gs: no timestep yet; 2 of 4 ranks are connected\n" + counts);
}

TEST_CASE("a status as text lists the items around the current one", "[ctl]") {
  using namespace status_text_test;
  Json list = Json::array();
  for (int i = 0; i < 12; ++i)
    list.push_back({{"item", i}, {"name", "n" + std::to_string(i)}, {"path", "/films/f.mp4"}});
  list[6]["name"] = "f.mp4";
  Json one = status();
  one["scene"]["regions"][0]["playlist"] = {
      {"item", 5}, {"items", 12}, {"name", "Big Buck"}, {"path", "/films/bbb.mp4"}, {"list", list}};
  const std::string shown =
      "item 6 of 12: Big Buck (bbb.mp4)\n"
      "  goto 1    n1  f.mp4\n"
      "  goto 2    n2  f.mp4\n"
      "  goto 3    n3  f.mp4\n"
      "  goto 4    n4  f.mp4\n"
      "> goto 5    n5  f.mp4\n"
      "  goto 6    f.mp4\n"
      "  goto 7    n7  f.mp4\n"
      "  goto 8    n8  f.mp4\n"
      "  goto 9    n9  f.mp4\n";
  CHECK(status_text(one, {}) == head + shown + "  ... 3 more (--verbose)\n" + counts);
  const std::string all = status_text(one, {true, false});
  CHECK_THAT(all, Catch::Contains("\n  goto 0    n0  f.mp4\n") &&
                      Catch::Contains("\n  goto 11   n11  f.mp4\nshown 128 ") &&
                      Catch::Contains("\nmain: a list, frame 12 of 240, "));
  one["scene"]["regions"][0]["playlist"]["items"] = 13;  // the list is not whole
  CHECK_THAT(status_text(one, {true, false}), Catch::Contains("\n  ... 1 more\n"));
  CHECK(item_text({{"item", 0}, {"items", 1}, {"name", "a.mkv"}, {"path", "/b/a.mkv"}}) ==
        "1 of 1: a.mkv");
}

TEST_CASE("a status as text names the panels in trouble, the worst first", "[ctl]") {
  using namespace status_text_test;
  Json one = status();
  Json& panels = one["per_panel"];
  panels = Json::array();
  for (const char* name : {"well", "silent", "late", "again", "gone"})
    panels.push_back(panel(name));
  panels[1]["silent_s"] = 2.25;
  panels[2]["frames_late"] = 12;
  panels[2]["late_cause"] = "decode";
  panels[3]["restarts"] = 2;
  panels[3]["realtime"] = false;
  panels[4]["connected"] = false;
  panels[4]["silent_s"] = nullptr;
  CHECK(status_text(one, {}) == head + counts +
                                    "panel gone: 0 late, gone\n"
                                    "panel late: 12 late, locked, late by decode\n"
                                    "panel silent: 0 late, silent for 2.2 s\n"
                                    "panel again: 0 late, locked, no realtime, 2 restarts\n");
  panels[0]["silent_s"] = 1.0;  // that is not yet silence
  CHECK(status_text(one, {}).find("well") == std::string::npos);

  panels = Json::array();
  for (int i = 0; i < 12; ++i) {
    panels.push_back(panel("p" + std::to_string(i)));
    panels.back()["frames_late"] = 1;
  }
  CHECK_THAT(status_text(one, {}),
             Catch::EndsWith("panel p9: 1 late, locked\n... 2 more (--verbose)\n"));
}

TEST_CASE("a verbose status as text has a row of figures of every panel", "[ctl]") {
  using namespace status_text_test;
  using Words = std::vector<std::string>;
  Json one = status();
  one["per_panel"].push_back(panel("right"));
  one["per_panel"][1]["skew_us"]["p99"] = 13.0;
  one["per_panel"][1]["frame"] = nullptr;
  const std::string text = status_text(one, {true, false});
  CHECK_THAT(text, Catch::Contains("\nskew p50 7 p99 8 max 9 us in 10 s\npanel "));
  const auto rows = lines_of(text, {"panel ", "left", "right"});
  REQUIRE(rows.size() == 3);
  CHECK(words_of(rows[0]) == Words{"panel", "frame", "late", "skew", "p50", "p99", "us", "due",
                                   "p50", "p99", "us", "ready", "level", "bound", "by", "clock"});
  CHECK(words_of(rows[1]) ==
        Words{"right", "-", "0", "11", "13", "21", "22", "3/4", "1", "1.5", "window", "locked"});
  CHECK(words_of(rows[2]) ==
        Words{"left", "120", "0", "11", "12", "21", "22", "3/4", "1", "1.5", "window", "locked"});

  one["per_panel"][0]["staged_bytes"] = 13'107'200;  // 12.5 MiB
  one["per_panel"][0]["stage_budget_bytes"] = 67'108'864;
  const auto staged = lines_of(status_text(one, {true, false}), {"panel ", "left", "right"});
  CHECK_THAT(staged.at(0), Catch::Contains("ready staged MiB  level"));
  CHECK(words_of(staged.at(1)).at(8) == "0.0/0");
  CHECK(words_of(staged.at(2)).at(8) == "12.5/64");
}

TEST_CASE("a verbose status as text has the times of the slowest panel's volume", "[ctl]") {
  using namespace status_text_test;
  const auto volume = [](double p95) {
    return Json{{"still_ms", {{"p50", 31.0}, {"p95", p95}}},
                {"moving_ms", {{"p50", 15.0}, {"p95", 16.0}}},
                {"held_bytes", 104'857'600},
                {"memory_limit_bytes", 1'073'741'824},
                {"level", 2},
                {"read_s", 0.01},
                {"decode_s", 0.02},
                {"style_s", 0.03},
                {"occupancy_s", 0.04},
                {"cast_s", 0.05},
                {"beams_cpu_s", 0.06},
                {"sample_cpu_s", 0.07},
                {"annotate_s", 0.08},
                {"wait_s", 0.09},
                {"copy_s", 0.1},
                {"present_s", 0.11}};
  };
  Json one = status();
  one["per_panel"].push_back(panel("right"));
  one["per_panel"].push_back(panel("third"));
  one["per_panel"][0]["volume"] = volume(40);
  one["per_panel"][1]["volume"] = volume(42);
  const auto lines = lines_of(status_text(one, {true, false}), {"volume: "});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] ==
        "volume: 100 of 1024 MiB, level 2; pictures of right, the slowest, p50 31 p95 42 ms still, "
        "15 and 16 ms moving");
  CHECK(lines[1] ==
        "volume: its time, s: read 0.01, decode 0.02; style 0.03, occupancy 0.04, cast 0.05 "
        "(computing: beams 0.06, sample 0.07), annotate 0.08, wait 0.09, copy 0.10, present 0.11");
  one["per_panel"][1]["volume"]["level"] = 0;
  CHECK_THAT(status_text(one, {true, false}), Catch::Contains("volume: 100 of 1024 MiB; pictures"));
}

TEST_CASE("the text of logs has the time in UTC, host, role and text", "[ctl]") {
  using status_text_test::Json;
  const Json line = {{"at_ns", 2'000'000'123'456'789},
                     {"host", "h1"},
                     {"role", "panel-3"},
                     {"text", "tilewall-panel: {}"}};
  // The wall's clock reads 2,000,000 s as the date is 2026-11-24 12:00.
  const Json logs = {{"now_ns", 2'000'000'000'000'000},
                     {"utc_ns", 1'795'521'600'000'000'000},
                     {"lines", Json::array({line})}};
  CHECK(logs_text(logs) == "2026-11-24T12:00:00.123456Z h1 panel-3: tilewall-panel: {}\n");
  CHECK(logs_text({{"now_ns", 0}, {"utc_ns", 0}, {"lines", Json::array()}}).empty());
}

TEST_CASE("lines that an earlier answer had are left out as often as it had them", "[ctl]") {
  using status_text_test::Json;
  const auto line = [](const char* text, int at_ns) {
    return Json{{"at_ns", at_ns}, {"host", "h"}, {"role", "r"}, {"text", text}};
  };
  const Json before = {line("a", 1), line("b", 1), line("b", 2)};
  CHECK(lines_since(Json::array(), before) == before);
  CHECK(lines_since(before, before).empty());
  CHECK(lines_since(before, {line("b", 2), line("b", 9), line("b", 10), line("c", 11)}) ==
        Json{line("b", 10), line("c", 11)});
}
