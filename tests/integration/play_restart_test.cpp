// A wall whose panels are killed one by one: each comes back, and the show goes on.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>

#include "tests/integration/looping_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

TEST_CASE("a killed panel comes back into step, the others miss nothing", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 180;
  LoopingShow running(folder, frames);
  CHECK(running.kill_role("panel-1") > 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto restarts = restarts_of(show, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("panel") == "c1r0");
  REQUIRE(restarts[0].at("back_s").is_number());
  CHECK(restarts[0].at("back_s") > restarts[0].at("at_s"));
  for (const char* panel : {"c0r0", "c0r1", "c1r1"}) {
    CAPTURE(panel);
    CHECK(shown_by(show.report, panel).size() == frames);
    CHECK(left_out(shown_by(show.report, panel)) == 0);
  }
  const auto shown = shown_by(show.report, "c1r0");
  REQUIRE_FALSE(shown.empty());
  CHECK(shown.size() < frames);
  CHECK(shown.back().frame == (frames - 1) % restart_frames);
  for (const ShownHash& one : shown)
    REQUIRE(one.hash == hex(hash_of(cropped(numbered_picture(restart_wall_px, one.frame), {160, 0},
                                            {160, 96}))));
}

TEST_CASE("a panel that is lost for good is named, the others show all", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 180;  // 3 s: longer than a panel may be away
  LoopingShow running(folder, frames);
  running.lose("panel-2");
  const Show show = running.finish();
  CHECK(show.program.exit_code == 1);
  CHECK(show.program.err.find("tilewall: panel c0r1 died and did not come back\n") !=
        std::string::npos);
  const auto restarts = restarts_of(show, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("back_s").is_null());
  CHECK(shown_by(show.report, "c1r1").size() == frames);
}

TEST_CASE("a show ends without its critical panel, and not without another one", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 60'000;
  LoopingShow running(folder, frames, "critical.toml");
  running.lose("panel-1");
  running.lose("panel-2");
  const Show show = running.finish();
  CHECK(show.program.exit_code == 1);
  CHECK_THAT(show.program.err,
             Catch::StartsWith("tilewall: critical panel c0r1 did not come back within 10 s\n"));
  CHECK(show.report.at("frames_scheduled") < frames);
}

TEST_CASE("a show ends without a critical panel that dies at every start", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames, "critical.toml");
  const fs::path file = running.run_dir() / "pids/panel-2";
  // It is killed as soon as its keeper has started it, until the show has ended.
  std::set<pid_t> killed;
  CHECK(eventually(
      [&] {
        const pid_t now = pid_in(file);
        if (now > 0 && killed.insert(now).second) ::kill(now, SIGKILL);
        return !fs::exists(file);
      },
      std::chrono::seconds(50)));
  CHECK(killed.size() > 2);
  const Show show = running.finish();
  CHECK(show.program.exit_code == 1);
  CHECK_THAT(show.program.err,
             Catch::StartsWith("tilewall: critical panel c0r1 did not come back within 10 s\n"));
}

TEST_CASE("a killed keeper's panel dies with it and comes back, the others miss nothing",
          "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 240;
  LoopingShow running(folder, frames);
  const pid_t other = running.pid_of("panel-1");
  CHECK(running.kill_keeper_of("panel-2"));
  CHECK(running.pid_of("panel-1") == other);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto restarts = restarts_of(show, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("panel") == "c0r1");
  CHECK(restarts[0].at("back_s").is_number());
  for (const char* panel : {"c0r0", "c1r0", "c1r1"})
    CHECK(left_out(shown_by(show.report, panel)) == 0);
}

TEST_CASE("panels whose launcher or host keeper was killed come back into step", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  const pid_t first = running.pid_of("panel-3");
  CHECK(running.kill_role("mpirun") > 0);
  CHECK(eventually([&] {
    const pid_t now = running.pid_of("panel-3");
    return now != first && is_alive(now) && !is_alive(first);
  }));
  CHECK(running.kill_host_keeper("panel-3"));
  CHECK(running.all_show());
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto launchers = restarts_of(show, "launcher");
  REQUIRE(launchers.size() == 2);
  for (const auto& restart : launchers) CHECK(restart.at("back_s").is_number());
  for (const ShownHash& one : shown_by(show.report, "c1r1"))
    REQUIRE(one.hash == hex(hash_of(cropped(numbered_picture(restart_wall_px, one.frame), {160, 96},
                                            {160, 96}))));
  CHECK(is_in_step(show, "c1r1", "c0r0"));
}

TEST_CASE("a panel that cannot get what it needs is tried again, and ends no show", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  CHECK(running.starve("panel-1"));
  CHECK(running.all_show());
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(is_in_step(show, "c1r0", "c0r0"));
  for (const char* panel : {"c0r0", "c0r1", "c1r1"})
    CHECK(left_out(shown_by(show.report, panel)) == 0);
}

TEST_CASE("a panel that dies again and again is tried again", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  for (int i = 0; i < 8; ++i) CHECK(running.kill_role("panel-1") > 0);
  CHECK(running.all_show());
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(is_in_step(show, "c1r0", "c0r0"));
}
