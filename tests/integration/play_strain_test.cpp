// A show on a machine that cannot keep up: it goes on, shows nothing wrong, and says what was late.

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/support/numbered_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

constexpr SizePx strain_wall_px = {320, 192};
constexpr SizePx strain_panel_px = {160, 96};
constexpr int strain_frames = 12;

/// While it lives, programs that are started read frames slowly.
class SlowDisk {
 public:
  explicit SlowDisk(int delay_ms) : SlowDisk("TILEWALL_TEST_READ_DELAY_MS", delay_ms) {}
  /// As slow_disk.cpp says.
  SlowDisk(const char* variable, int value) : variable_(variable) {
    ::setenv("LD_PRELOAD", preload_path(TILEWALL_SLOW_DISK).c_str(), 1);
    ::setenv(variable, std::to_string(value).c_str(), 1);
  }
  ~SlowDisk() {
    ::unsetenv("LD_PRELOAD");
    ::unsetenv(variable_);
  }
  SlowDisk(const SlowDisk&) = delete;
  SlowDisk& operator=(const SlowDisk&) = delete;

 private:
  const char* const variable_;
};

/// A busy loop on every core, twice.
class BusyCores {
 public:
  BusyCores() {
    for (unsigned i = 0; i < 2 * std::max(1U, std::thread::hardware_concurrency()); ++i)
      threads_.emplace_back([this] {
        while (!done_) ++turns_;
      });
  }
  ~BusyCores() { done_ = true; }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> turns_{0};
  std::vector<std::jthread> threads_;
};

void check_pictures(const nlohmann::json& report) {
  for (const auto& [panel, at] : {std::pair<const char*, PointPx>{"c0r0", {0, 0}},
                                  {"c1r0", {160, 0}},
                                  {"c0r1", {0, 96}},
                                  {"c1r1", {160, 96}}})
    for (const ShownHash& shown : shown_by(report, panel)) {
      CAPTURE(panel, shown.frame);
      CHECK(shown.hash == hex(hash_of(cropped(numbered_picture(strain_wall_px, shown.frame), at,
                                              strain_panel_px))));
    }
}

}  // namespace

TEST_CASE("a disk that became slow makes frames late, and none wrong", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", strain_wall_px, strain_frames);
  const SlowDisk disk(60);  // three reads a frame: over four periods
  const Show show = play_show(folder / "movie", "two-by-two.toml",
                              {"--late", "drop", "--loop", "--frames", "24"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_scheduled") == 24);
  CHECK(show.report.at("frames_late") > 0);
  CHECK(panel_report(show.report, "c0r0").at("frames_shown") > 0);
  CHECK(show.report.at("damaged_frames") == 0);
  CHECK(has_event(show.report, "decode", "c0r0"));
  check_pictures(show.report);
}

TEST_CASE("panels that cannot keep up leave out the same ticks", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", strain_wall_px, strain_frames);
  const SlowDisk disk(60);
  const Show show = play_show(folder / "movie", "two-by-two.toml",
                              {"--late", "drop", "--loop", "--fps", "30", "--frames", "90"});
  CAPTURE(show.program.err, show.report.at("late_events").dump());
  REQUIRE(show.program.exit_code == 0);
  const auto& decimation = show.report.at("decimation");
  REQUIRE(decimation.at("most_every_nth_tick") > 1);
  CHECK(decimation.at("cause") == "decode");
  CHECK(has_event(show.report, "fewer ticks", decimation.at("panel").get<std::string>()));
  // At most one of sixteen was shown by some only; a busy machine may have more of them.
  CHECK(2 * show.report.at("frames_shown").get<int>() >
        show.report.at("frames_shown_by_any").get<int>());
  check_pictures(show.report);
}

TEST_CASE("a slowed wall shows every frame from a slow disk", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", strain_wall_px, strain_frames);
  const SlowDisk disk(30);
  const Show show = play_show(folder / "movie", "two-by-two.toml", {"--late", "slow"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == strain_frames);
  CHECK(show.report.at("frames_late") == 0);
  CHECK(shown_by(show.report, "c1r1").size() == strain_frames);
  CHECK(show.report.at("late_events").at(0).at("cause") == "released late");
  check_pictures(show.report);
}

TEST_CASE("a staged movie plays through the stalls of a slow disk, within its budget", "[play]") {
  const TemporaryFolder folder;
  constexpr int many = 40;
  write_numbered_movie(folder / "movie", strain_wall_px, many);
  const SlowDisk disk("TILEWALL_TEST_READ_STALL_MS", 1800);  // the ring of pictures holds 0.7 s
  const Show show = play_show(folder / "movie", "two-by-two.toml",
                              {"--late", "drop", "--fps", "12", "--stage", "1"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_late") == 0);
  CHECK(shown_by(show.report, "c0r0").size() == many);
  CHECK(show.report.at("damaged_frames") == 0);
  for (const auto& panel : show.report.at("per_panel")) {
    CHECK(panel.at("stage_budget_bytes") == 1 << 20);
    CHECK(panel.at("staged_bytes").at("peak") > 1 << 16);
    CHECK(panel.at("staged_bytes").at("peak") <= 1 << 20);
  }
  check_pictures(show.report);
}

TEST_CASE("a show goes on beside busy loops on all cores", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", strain_wall_px, strain_frames);
  const BusyCores busy;
  const Show show = play_show(folder / "movie", "two-by-two.toml",
                              {"--late", "drop", "--loop", "--frames", "24"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_scheduled") == 24);
  CHECK(panel_report(show.report, "c0r0").at("frames_shown") > 0);
  check_pictures(show.report);
}
