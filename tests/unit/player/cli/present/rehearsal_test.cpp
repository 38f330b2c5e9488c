// The list of cues of a rehearsal, and what is told of it in the end.
#include "player/cli/present/rehearsal.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::cli;

namespace {

/// A cue with a movie of 240 frames at 24 per second in the region "main".
cues::Cue movie_cue(const std::string& name) {
  scene::SourceSpec source;
  source.kind = scene::SourceKind::movie;
  source.path = "/movie";
  source.size_px = {640, 360};
  source.frames = 240;
  cues::RegionSetting region;
  region.name = "main";
  region.source = std::make_shared<const scene::SourceSpec>(source);
  region.play = cues::PlayState{};
  region.play->end = 240;
  cues::Cue cue;
  cue.name = name;
  cue.regions = {region};
  return cue;
}

cues::Cue still_cue(const std::string& name) {
  cues::Cue cue;
  cue.name = name;
  return cue;
}

/// How long the second of two cues lasts in a rehearsal.
double time_of(const cues::Cue& cue) {
  director::CueShow show;
  show.list.cues = {movie_cue("first"), cue};
  make_rehearsal(show, std::nullopt);
  CHECK(show.list.cues[1].follow->kind == cues::Follow::Kind::after);
  return show.list.cues[1].follow->seconds;
}

template <typename Change>
double time_of_movie(Change&& change) {
  cues::Cue cue = movie_cue("second");
  change(*cue.regions.front().play);
  return time_of(cue);
}

CueFigures figures(const std::string& name) {
  CueFigures cue;
  cue.cue = name;
  cue.armed_state = "armed";
  cue.armed_s = 0.25;
  cue.frames_scheduled = cue.frames_shown_by_any = 24;
  cue.skew_p99_us = 41;
  cue.memory_bytes = 512'000'000;
  return cue;
}

}  // namespace

TEST_CASE("each cue of a rehearsal lasts for its own time", "[present]") {
  CHECK(time_of(movie_cue("second")) == Approx(10));
  CHECK(time_of(still_cue("second")) == 5);
  using Play = cues::PlayState;
  CHECK(time_of_movie([](Play& play) { play.start = 120; }) == Approx(5));
  CHECK(time_of_movie([](Play& play) { play.speed = {2, 1}; }) == Approx(5));
  CHECK(time_of_movie([](Play& play) {
          play.backwards = true;
          play.start = 119;
        }) == Approx(5));
  CHECK(time_of_movie([](Play& play) {
          play.loop = sync::LoopMode::loop;
          play.rounds = 3;
        }) == Approx(30));
  CHECK(time_of_movie([](Play& play) { play.loop = sync::LoopMode::loop; }) == Approx(10));
  CHECK(time_of_movie([](Play& play) { play.speed = {1, 8}; }) == 60);
  CHECK(time_of_movie([](Play& play) { play.hold = true; }) == 5);

  cues::Cue timed = still_cue("second");
  timed.follow = cues::Follow{cues::Follow::Kind::after, 600};
  CHECK(time_of(timed) == 600);
  timed.follow = cues::Follow{cues::Follow::Kind::at_clock, 72'000};
  CHECK(time_of(timed) == 5);

  cues::Cue gliding = still_cue("second");
  gliding.regions = {{}};
  gliding.regions.front().name = "main";
  gliding.regions.front().glide_s = 8;
  CHECK(time_of(gliding) == 8);
  gliding.transition = {cues::Transition::Kind::fade, 9};
  CHECK(time_of(gliding) == 9);
}

TEST_CASE("a rehearsal goes through all cues once, in the list's order", "[present]") {
  director::CueShow show;
  show.list.cues = {movie_cue("one"), still_cue("two"), still_cue("three")};
  show.list.cues[0].section = show.list.cues[1].section = "doors";
  show.list.sections = {{"doors", true, 0}};
  show.list.cues[1].next = "one";
  show.list.cues[2].next = "two";
  make_rehearsal(show, 1.5);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(show.list.cues[i].follow->seconds == 1.5);
    const auto next = cues::next_of(show.list, i, 0);
    CHECK(next == (i < 2 ? std::optional(cues::NextCue{i + 1, false}) : std::nullopt));
  }
}

TEST_CASE("the result of a rehearsal is a line for each cue and what was missing", "[present]") {
  std::vector<CueFigures> cues = {figures("one"), figures("two")};
  cues[0].armed_state = "start";
  cues[0].armed_s.reset();
  const RehearsalResult good = rehearsal_result(cues, {2, 0});
  CHECK(good.is_complete);
  CHECK(good.text ==
        "cue   armed after  late  of frames  skew p99  memory\n"
        "one  at the start     0         24     41 us  512 MB\n"
        "two        0.25 s     0         24     41 us  512 MB\n");
  CHECK_FALSE(rehearsal_result(cues, {3, 0}).is_complete);
  CHECK(rehearsal_result(cues, {5, 3}).is_complete);  // the report has no room for three
  CHECK(rehearsal_result(cues, {3, 0}).text.ends_with("1 of 3 cues were not shown\n"));

  cues[1].inputs_missing = {{"main", "gone.mp4: no such file"}};
  cues[1].frames_shown_by_any = 20;
  cues[1].late = {{"c0r0", "decode", 3}, {"c1r0", "decode", 1}};
  const RehearsalResult missing = rehearsal_result(cues, {2, 0});
  CHECK_FALSE(missing.is_complete);
  CHECK(
      missing.text.ends_with("    late by decode: c0r0 3, c1r0 1\n"
                             "    left out on all panels: 4\n"
                             "    missing: main: gone.mp4: no such file\n"
                             "1 of 2 cues were not complete\n"));
  cues[1] = figures("two");
  cues[1].armed_state = "amber";
  cues[1].armed_s.reset();
  cues[1].panels_missing = {{"c0r0", "two.mp4: is playing now"}};
  CHECK_FALSE(rehearsal_result(cues, {2, 0}).is_complete);
  CHECK(rehearsal_result(cues, {2, 0}).text.find("not armed: c0r0: two.mp4: is playing now") !=
        std::string::npos);
}
