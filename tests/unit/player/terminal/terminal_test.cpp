// What is typed at a terminal, and the line that follows a show there.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/terminal/cue_list_text.hpp"
#include "player/terminal/show_terminal.hpp"
#include "player/terminal/terminal_keys.hpp"
#include "sync/base/terminal_text.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::terminal;
using Key = OperatorKey;
using Keys = std::vector<OperatorKey>;
using Json = nlohmann::json;

namespace {

constexpr TerminalKeys::Instant now{std::chrono::seconds(100)};

Keys typed(const std::string& bytes) { return TerminalKeys().take(bytes, now); }

Json status(const std::string& phase) {
  return {{"light", "green"},
          {"reasons", {"all 15 panels show every frame in time"}},
          {"phase", phase},
          {"frame", 123},
          {"frames_late", 4},
          {"scene",
           {{"regions",
             {{{"frames", 480},
               {"base_fps", 24.0},
               {"playlist", {{"item", 1}, {"items", 5}, {"name", "Big Buck Bunny"}}}}}}}}};
}

}  // namespace

TEST_CASE("a terminal's keys mean what a window's do", "[terminal]") {
  CHECK(typed(" ") == Keys{Key::toggle_pause});
  CHECK(typed("q") == Keys{Key::quit});
  CHECK(typed(",.[]+=-") == Keys{Key::step_back, Key::step_forward, Key::slower, Key::faster,
                                 Key::zoom_in, Key::zoom_in, Key::zoom_out});
  CHECK(typed("iIcA\t") ==
        Keys{Key::set_in, Key::set_out, Key::clear_range, Key::slide_left, Key::clear_range});
  CHECK(typed("\x7f\b") == Keys{Key::normal_speed, Key::normal_speed});
  CHECK(typed("\033[C\033[D\033OC") == Keys{Key::forward, Key::back, Key::forward});
  CHECK(typed("\033[1;2C\033[1;5D\033[5~\033[6~") ==
        Keys{Key::forward_far, Key::back_far, Key::back_far, Key::forward_far});
  CHECK(typed("\033[H\033[F\033[1~\033[4~\033OH") ==
        Keys{Key::home, Key::end, Key::home, Key::end, Key::home});
  CHECK(typed("\033OP\033[1;2Q\033[15~\033[11;2~") ==
        Keys{Key::cut_x_min, Key::uncut_x_max, Key::cut_z_min, Key::uncut_x_min});
}

TEST_CASE("what is no key of the wall means nothing", "[terminal]") {
  CHECK(typed("uU\xc3\xa4\x01").empty());
  CHECK(typed("\033[A\033[B\033[99~\033[1;3C").empty());  // up, down, unknown, alt
  CHECK(typed("\033q").empty());                          // alt and q
  CHECK(typed("\033[200~ \033[201~") == Keys{Key::toggle_pause});
  CHECK(typed(std::string("\033[") + std::string(100, '1') + " ").size() <= 101);
}

TEST_CASE("Escape alone quits, the beginning of a sequence waits for its rest", "[terminal]") {
  TerminalKeys keys;
  CHECK(keys.take("\033", now).empty());
  CHECK(keys.settle(now + std::chrono::milliseconds(10)).empty());
  CHECK(keys.take("[", now).empty());
  CHECK(keys.take("C", now) == Keys{Key::forward});
  CHECK(keys.settle(now + std::chrono::seconds(1)).empty());
  CHECK(keys.take("\033", now).empty());
  CHECK(keys.settle(now + TerminalKeys::escape_wait) == Keys{Key::quit});
  CHECK(keys.settle(now + std::chrono::seconds(9)).empty());
  CHECK(keys.take("\033\033", now) == Keys{Key::quit});
  CHECK(keys.settle(now + TerminalKeys::escape_wait) == Keys{Key::quit});
  CHECK(keys.take("\033[1;", now).empty());
  CHECK(keys.settle(now + std::chrono::seconds(1)).empty());
  CHECK(keys.take(" ", now) == Keys{Key::toggle_pause});
}

TEST_CASE("the line of a show fits its terminal, the most important things last to go",
          "[terminal]") {
  const std::string control = "127.0.0.1:4711";
  CHECK(show_line(status("playing"), control, 200) ==
        "frame 123 of 480  0:05.1 of 0:20.0  item 2 of 5 Big Buck Bunny  4 late  127.0.0.1:4711  "
        "q quits");
  CHECK(show_line(status("playing"), control, 80) ==
        "frame 123 of 480  0:05.1 of 0:20.0  item 2 of 5  4 late  127.0.0.1:4711  q quits");
  CHECK(show_line(status("playing"), control, 45) == "frame 123  0:05.1  item 2 of 5  4 late");
  CHECK(show_line(status("playing"), control, 9) == "frame 123");
  CHECK(show_line(status("paused"), control, 26) == "paused  frame 123  4 late");
  for (int columns = 1; columns < 120; ++columns)
    CHECK(columns_of(show_line(status("paused"), control, columns)) <= columns);
  Json ill = status("playing");
  ill["light"] = "red";
  ill["reasons"] = {"panel c1r0 gone\033[2J"};
  CHECK_THAT(show_line(ill, control, 200), Catch::StartsWith("panel c1r0 gone?[2J  frame 123"));
  Json begins = status("gathering");
  begins["frame"] = nullptr;
  CHECK(show_line(begins, control, 200) == "gathering  4 late  127.0.0.1:4711  q quits");
}

TEST_CASE("a presentation's cues stand around the one on the wall", "[terminal]") {
  Json presenting = status("playing");
  CHECK_FALSE(first_listed_cue(presenting));
  CHECK(cue_lines(presenting, {}, 80, 8).empty());
  const auto cue = [](int index, const char* number, const char* name, const char* note) {
    return Json{{"index", index}, {"number", number}, {"name", name}, {"note", note}};
  };
  presenting["presentation"] = {{"index", 1},
                                {"for_s", 12.0},
                                {"follows_in_s", 5.0},
                                {"next", {{"index", 2}}},
                                {"armed",
                                 {{"cue", "Jet"},
                                  {"state", "amber"},
                                  {"missing", {{{"panel", "c0r1"}}, {{"panel", "c0r0"}}}}}}};
  const Json cues = {{"cues",
                      {cue(0, "1", "Logo", ""), cue(1, "2", "Trailer", ""),
                       cue(2, "2.5", "Jet", "Wait.\nThen go."),
                       cue(3, "3", "A name that does not fit\033[2J", "")}}};
  CHECK(first_listed_cue(presenting) == 0);
  const auto lines = cue_lines(presenting, cues, 100, 8);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == CueLine{"  1      Logo", false});
  CHECK(lines[1] == CueLine{"> 2      Trailer                  0:12.0, goes on in 0:05.0", true});
  CHECK(lines[2] ==
        CueLine{"  2.5    Jet                      next: amber, c0r1 and 1 more   Wait.", false});
  CHECK(lines[3].text == "  3      A name that does not ...");
  CHECK(cue_lines(presenting, cues, 20, 8)[1].text == "> 2      Trailer ...");
  CHECK(cue_lines(presenting, cues, 100, 2).size() == 2);

  presenting["presentation"]["index"] = nullptr;  // before the first cue
  CHECK(first_listed_cue(presenting) == 0);
  presenting["presentation"]["next"] = nullptr;
  presenting["presentation"]["index"] = 3;
  CHECK(first_listed_cue(presenting) == 2);
  CHECK_THAT(cue_lines(presenting, cues, 100, 8)[3].text, Catch::EndsWith("the last one"));
}

TEST_CASE("a sequence that comes byte by byte is one key", "[terminal]") {
  for (const std::string& sequence : {std::string("\033OC"), std::string("\033[C")}) {
    TerminalKeys keys;
    for (std::size_t i = 0; i + 1 < sequence.size(); ++i)
      CHECK(keys.take(sequence.substr(i, 1), now).empty());
    CHECK(keys.take(sequence.substr(sequence.size() - 1), now) == Keys{Key::forward});
  }
  TerminalKeys keys;
  CHECK(keys.take("\033[1;", now).empty());
  CHECK(keys.take("2C ", now) == Keys{Key::forward_far, Key::toggle_pause});
}

TEST_CASE("Escape twice quits once, and the second one may begin a sequence", "[terminal]") {
  TerminalKeys keys;
  CHECK(keys.take("\033\033", now) == Keys{Key::quit});
  CHECK(keys.take("[C", now) == Keys{Key::forward});
}
