// A show's notes for people: how many are kept, and which are said once.

#include "player/director/log/show_notes.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::director;
using namespace std::chrono_literals;

namespace {

struct Told {
  std::vector<std::string> lines;
  ShowNotes notes{[this](const std::string& line) { lines.push_back(line); }};
};

}  // namespace

TEST_CASE("every note is told, and the first hundred are kept", "[director]") {
  Told told;
  CHECK(told.notes.last().empty());
  for (int i = 1; i <= 102; ++i) told.notes.note(std::to_string(i));
  CHECK(told.lines.size() == 102);
  CHECK(told.notes.lines().size() == 100);
  CHECK(told.notes.lines().back() == "100");
  CHECK(told.notes.last() == "102");
}

TEST_CASE("a problem of several panels is one note, and a hundred problems are enough",
          "[director]") {
  Told told;
  told.notes.note_problem("left", "no disk");
  told.notes.note_problem("right", "no disk");
  CHECK(told.notes.lines() == std::vector<std::string>{"panel left: no disk"});
  for (int i = 1; i <= 200; ++i) told.notes.note_problem("left", std::to_string(i));
  CHECK(told.lines.size() == 100);
  CHECK(told.notes.last() == "panel left: 99");
  told.notes.note("something else");
  CHECK(told.notes.last() == "something else");
}

TEST_CASE("the first failure is the show's", "[director]") {
  Told told;
  CHECK(told.notes.exit_code() == exit_done);
  told.notes.fail("no panel is left", exit_bad_input);
  told.notes.fail("a disk is full", exit_failed);
  CHECK(told.notes.error() == "no panel is left");
  CHECK(told.notes.exit_code() == exit_bad_input);
}

TEST_CASE("an empty background is noted once, after more than a second", "[director]") {
  Told told;
  BackgroundWatch watch(told.notes);
  const BackgroundWatch::Clock::time_point begin{100s};
  watch.see(true, begin);
  watch.see(true, begin + 1s);
  watch.see(false, begin + 2s);  // something was seen again
  watch.see(true, begin + 3s);
  watch.see(true, begin + 4s);
  CHECK(told.lines.empty());
  watch.see(true, begin + 4s + 1ns);
  CHECK(told.lines.size() == 1);
  watch.see(true, begin + 5s);
  watch.end();
  CHECK(told.lines.size() == 1);
}

TEST_CASE("a background that lasts to the show's end is noted then", "[director]") {
  Told told;
  BackgroundWatch watch(told.notes);
  SECTION("after a short while") {
    watch.see(true, {});
    watch.end();
    CHECK(told.lines.size() == 1);
  }
  SECTION("not where the last picture showed more") {
    watch.see(true, {});
    watch.see(false, {});
    watch.end();
    CHECK(told.lines.empty());
  }
}
