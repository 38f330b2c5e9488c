// A panel that stops for a while, and one that hangs for good.

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx stall_wall_px = {320, 192};
constexpr int stall_frames = 12;
constexpr int fps = 30;

/// A show that loops on two by two panels for `seconds`, once its third frame is on the wall.
class StalledShow {
 public:
  StalledShow(const TemporaryFolder& folder, const std::string& late, int seconds)
      : run_dir_(folder / "run"), report_(folder / "report.json") {
    write_numbered_movie(folder / "movie", stall_wall_px, stall_frames);
    const fs::path begun = folder / "begun.png";
    program_.emplace(play_words(
        folder / "movie", "two-by-two.toml",
        {"--headless", "--hashes", "--loop", "--late", late, "--fps", std::to_string(fps),
         "--frames", std::to_string(seconds * fps), "--run-dir", run_dir_.string(), "--report",
         report_.string(), "--snapshot", "2:" + begun.string()}));
    REQUIRE(eventually([&] { return fs::exists(begun); }));
  }

  [[nodiscard]] pid_t panel(int number) const {
    return pid_in(run_dir_ / "pids" / ("panel-" + std::to_string(number)));
  }

  /// Stops panel 1 for so long, or for good.
  void stop_panel_1(std::chrono::milliseconds time) const {
    ::kill(panel(1), SIGSTOP);
    std::this_thread::sleep_for(time);
    ::kill(panel(1), SIGCONT);
  }
  void hang_panel_1() const { ::kill(panel(1), SIGSTOP); }

  Show finish() { return end_of(*program_, report_); }

 private:
  const fs::path run_dir_;
  const fs::path report_;
  std::optional<RunningProgram> program_;
};

std::int64_t late_on(const Show& show, const std::string& panel) {
  return panel_report(show.report, panel).at("frames_late");
}

}  // namespace

TEST_CASE("late policy drop: a stopped panel's frames are lost, and the report names it",
          "[play]") {
  const TemporaryFolder folder;
  StalledShow running(folder, "drop", 3);
  running.stop_panel_1(std::chrono::milliseconds(1700));
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_scheduled") == 3 * fps);
  CHECK(show.report.at("restarts").empty());
  CHECK(late_on(show, "c1r0") > 0);
  CHECK(show.report.at("frames_late") >= late_on(show, "c1r0"));
  CHECK(shown_by(show.report, "c1r0").back().frame == (3 * fps - 1) % stall_frames);
  CHECK(show.program.err.find("panel c1r0 gave no sign for") != std::string::npos);
  CHECK(has_event(show.report, "stalled", "c1r0"));
}

TEST_CASE("late policy slow: while a panel is stopped all panels hold the same frame", "[play]") {
  const TemporaryFolder folder;
  StalledShow running(folder, "slow", 2);
  running.stop_panel_1(std::chrono::milliseconds(1500));
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == 2 * fps);
  CHECK(has_event(show.report, "released late", "c1r0"));  // the wall waited for it
  const auto expected = shown_by(show.report, "c0r0");
  CHECK(expected.size() == 2 * fps);
  for (const char* panel : {"c1r0", "c0r1", "c1r1"}) {
    CAPTURE(panel);
    const auto shown = shown_by(show.report, panel);
    REQUIRE(shown.size() == expected.size());
    for (std::size_t i = 0; i < shown.size(); ++i) REQUIRE(shown[i].frame == expected[i].frame);
  }
}

TEST_CASE("a panel that hangs for good is killed and started again", "[play]") {
  const TemporaryFolder folder;
  StalledShow running(folder, "drop", 8);
  const pid_t hung = running.panel(1);
  running.hang_panel_1();
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto& restarts = show.report.at("restarts");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("panel") == "c1r0");
  CHECK(restarts[0].value("hung", false));
  REQUIRE(restarts[0].at("back_s").is_number());
  CHECK(panel_report(show.report, "c1r0").at("pid") != hung);
  CHECK(shown_by(show.report, "c1r0").back().frame == (8 * fps - 1) % stall_frames);
  CHECK(late_on(show, "c1r0") > 0);
}
