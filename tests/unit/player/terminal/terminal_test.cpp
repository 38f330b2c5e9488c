// What is typed at a terminal, and the line that follows a show there.

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "player/terminal/cue_list_text.hpp"
#include "player/terminal/show_terminal.hpp"
#include "player/terminal/status_pace.hpp"
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

TEST_CASE("every key of a terminal has its meaning, with and without modifiers", "[terminal]") {
  // Numbers of xterm, the Linux console and rxvt.
  CHECK(typed("\033[7~\033[8~") == Keys{Key::home, Key::end});
  CHECK(typed("\033[11~\033[12~\033[13~\033[14~") ==
        Keys{Key::cut_x_min, Key::cut_x_max, Key::cut_y_min, Key::cut_y_max});
  CHECK(typed("\033[15~\033[17~\033[18~\033[19~") ==
        Keys{Key::cut_z_min, Key::cut_z_max, Key::uncut_all, Key::reset_style});
  CHECK(typed("\033OP\033OQ\033OR\033OS") ==
        Keys{Key::cut_x_min, Key::cut_x_max, Key::cut_y_min, Key::cut_y_max});
  CHECK(typed("\033[16~\033[20~\033[2~\033[3~").empty());
  // Shift is 2, alt 3, shift with alt 4, control 5, meta 9.
  CHECK(typed("\033[1;2D") == Keys{Key::back_far});
  CHECK(typed("\033[1;1D") == Keys{Key::back});
  CHECK(typed("\033[1;3D\033[1;4D\033[1;9D").empty());
  CHECK(typed("\033[1;5C") == Keys{Key::forward_far});
  CHECK(typed("\033[;2C") == Keys{Key::forward_far});  // a missing number is 1
  // Letters: those with shift are capitals.
  CHECK(typed("aAzZ") == Keys{Key::pan_left, Key::slide_left, Key::view_whole, Key::view_whole});
  CHECK(typed("@[`{").size() == 1);  // beside the letters, of which [ is a key
  CHECK(typed("\r") == Keys{Key::enter});
}

TEST_CASE("a sequence that is none is left out up to where it goes wrong", "[terminal]") {
  CHECK(typed("\033[1\033 ") == Keys{Key::less_contrast});  // an escape ends it, 1 is a key
  CHECK(typed("\033[@ ") == Keys{Key::toggle_pause});       // the first of the letters that end one
  CHECK(typed("\033[1~~ ").size() == 2);                    // the last of them
  CHECK(typed("\033[ C ") == Keys{Key::forward, Key::toggle_pause});  // a blank may be within
  // A sequence of sixteen bytes is one, a longer one is none.
  CHECK(typed("\033[" + std::string(13, '1') + "C").empty() == false);
  CHECK(TerminalKeys().take("\033[" + std::string(14, ';'), now).empty());
}

TEST_CASE("an escape that waits is counted from its own beginning", "[terminal]") {
  using namespace std::chrono_literals;
  TerminalKeys keys;
  CHECK(keys.take(" ", now) == Keys{Key::toggle_pause});
  CHECK(keys.take("\033", now + 1s).empty());
  CHECK(keys.settle(now + 1s + TerminalKeys::escape_wait - 1ns).empty());
  CHECK(keys.settle(now + 1s + TerminalKeys::escape_wait) == Keys{Key::quit});
  // Bytes that come while one waits do not begin the wait anew.
  CHECK(keys.take("\033", now + 2s).empty());
  CHECK(keys.take("[", now + 2s + 50ms).empty());
  CHECK(keys.settle(now + 2s + TerminalKeys::escape_wait).empty());
  CHECK(keys.take("C", now + 3s) == Keys{Key::clear_range});  // the rest came too late: a letter
}

TEST_CASE("lines take the place of those drawn before", "[terminal]") {
  const std::vector<CueLine> three = {{"one", false}, {"two", true}, {"three", false}};
  CHECK(redraw_text({}, {{"one", false}}, 80) == "\r\033[Jone");
  CHECK(redraw_text({}, three, 80) == "\r\033[Jone\n\033[1mtwo\033[0m\nthree");
  CHECK(redraw_text({{"one", false}}, {{"new", false}}, 80) == "\r\033[Jnew");
  CHECK(redraw_text(three, {{"new", false}}, 80) == "\r\033[2A\r\033[Jnew");
  // Of a terminal with four columns, "three" fills two rows, and four letters fill one.
  CHECK(redraw_text(three, {}, 4) == "\r\033[3A\r\033[J");
  CHECK(redraw_text({{"four", false}}, {}, 4) == "\r\033[J");
  CHECK(redraw_text({{"fours", false}}, {}, 4) == "\r\033[1A\r\033[J");
  CHECK(redraw_text({{"", false}, {"", false}}, {}, 4) == "\r\033[1A\r\033[J");
  CHECK(erase_text({{"one", false}}) == "\r\033[J");
  CHECK(erase_text(three) == "\033[2A\r\033[J");
}

TEST_CASE("the line of a show has only the parts that there are", "[terminal]") {
  const std::string control = "h:1";
  Json one = status("playing");
  one["scene"]["regions"][0].erase("playlist");
  CHECK(show_line(one, control, 200) == "frame 123 of 480  0:05.1 of 0:20.0  4 late  h:1  q quits");
  one["scene"]["regions"][0]["frames"] = std::int64_t{1} << 40;  // a pattern
  CHECK(show_line(one, control, 200) == "frame 123  0:05.1  4 late  h:1  q quits");
  one["scene"]["regions"][0]["frames"] = (std::int64_t{1} << 40) - 1;
  CHECK_THAT(show_line(one, control, 200), Catch::StartsWith("frame 123 of 1099511627775"));
  one["scene"]["regions"][0]["frames"] = 480;
  one["scene"]["regions"][0]["base_fps"] = 0.0;
  CHECK(show_line(one, control, 200) == "frame 123 of 480  4 late  h:1  q quits");
  one["scene"]["regions"][0]["frames"] = 1;  // a still
  CHECK(show_line(one, control, 200) == "4 late  h:1  q quits");
  one["presentation"] = Json::object();
  CHECK(show_line(one, control, 200) ==
        "4 late  h:1  n goes on, p back, b black, f freeze  q quits");
  CHECK(show_line(one, control, 40) == "4 late  h:1  n goes on  q quits");
  CHECK(show_line(one, control, 30) == "4 late  h:1  q quits");  // what n does goes first
  CHECK(show_line(one, control, 19) == "4 late  q quits");
  CHECK(show_line(one, control, 14) == "4 late");
  Json ill = status("playing");
  ill["light"] = "yellow";
  ill["reasons"] = Json::array();
  CHECK_THAT(show_line(ill, control, 200), Catch::StartsWith("frame 123"));
  ill["reasons"] = {"the first", "the second"};
  CHECK_THAT(show_line(ill, control, 200), Catch::StartsWith("the first  frame 123"));
  CHECK(control_line("/run/x", false) ==
        "control it by 'tilewall ctl VERB --run-dir /run/x': status, pause, play, seek 100, quit; "
        "'tilewall ctl --help' lists all verbs; Ctrl-C ends it");
  CHECK_THAT(control_line("/run/x", true),
             Catch::StartsWith("control it by keys in its windows (space pauses, q quits) or "));
}

TEST_CASE("a cue without a number is called by its place, and waits are told", "[terminal]") {
  const auto cue = [](int index, const char* name) {
    return Json{{"index", index}, {"number", nullptr}, {"name", name}, {"note", nullptr}};
  };
  Json presenting = status("playing");
  presenting["presentation"] = {
      {"index", 0},
      {"for_s", nullptr},
      {"follows_in_s", 5.0},
      {"next", {{"index", 1}}},
      {"armed", {{"cue", "Other"}, {"state", "armed"}, {"missing", Json::array()}}}};
  const Json cues = {{"cues", {cue(0, "One"), cue(1, "Two")}}};
  const std::string margin(20, ' ');
  auto lines = cue_lines(presenting, cues, 100, 8);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == "> (1)    One" + std::string(22, ' ') + "goes on in 0:05.0");
  CHECK(lines[1].text == "  (2)    Two" + std::string(22, ' ') + "next");  // another one is armed
  Json& armed = presenting["presentation"]["armed"];
  armed["cue"] = "Two";
  CHECK(cue_lines(presenting, cues, 100, 8)[1].text.ends_with("next: armed"));
  armed["missing"] = {{{"panel", "c0r1"}}};
  CHECK(cue_lines(presenting, cues, 100, 8)[1].text.ends_with("next: armed, c0r1"));
  armed["missing"] = {{{"panel", "c0r1"}}, {{"panel", "c0r2"}}, {{"panel", "c0r3"}}};
  CHECK(cue_lines(presenting, cues, 100, 8)[1].text.ends_with("next: armed, c0r1 and 2 more"));
  presenting["presentation"]["follows_in_s"] = nullptr;
  presenting["presentation"]["for_s"] = -1.0;  // it begins in a moment
  CHECK(cue_lines(presenting, cues, 100, 8)[0].text.ends_with("One" + std::string(22, ' ') +
                                                              "0:00.0"));
  presenting["presentation"]["next"] = nullptr;
  CHECK(cue_lines(presenting, cues, 100, 8)[0].text.ends_with("0:00.0, the last one"));
  presenting["presentation"]["for_s"] = nullptr;
  CHECK(
      cue_lines(presenting, cues, 100, 8)[0].text.ends_with(std::string(22, ' ') + "the last one"));
}

TEST_CASE("the status is asked for one at a time, and sooner after a key", "[terminal]") {
  using std::chrono::milliseconds;
  const auto at = [](int ms) {
    return StatusPace::TimePoint(std::chrono::hours(1) + milliseconds(ms));
  };
  StatusPace pace;
  CHECK(pace.left(at(0)) == milliseconds(0));
  pace.note_asked(at(0));
  CHECK(pace.left(at(500)) == milliseconds(200));  // no answer yet
  pace.note_answered();
  CHECK(pace.left(at(10)) == milliseconds(190));
  CHECK(pace.left(at(200)) == milliseconds(0));
  pace.note_key(at(15));
  CHECK(pace.left(at(20)) == milliseconds(10));
  CHECK(pace.left(at(30)) == milliseconds(0));
  pace.note_asked(at(30));
  CHECK(pace.left(at(100)) == milliseconds(200));
  pace.note_answered();
  CHECK(pace.left(at(40)) == milliseconds(20));
  CHECK(pace.left(at(215)) == milliseconds(15));  // the key was 200 ms ago
}
