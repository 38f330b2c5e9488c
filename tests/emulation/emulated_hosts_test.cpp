// Shows on several hosts with clocks of their own, where this user may emulate them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/emulation/clock_skew.hpp"
#include "tests/emulation/emulated_show.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::test;

TEST_CASE("a movie on 15 panels of three hosts with clocks of their own", "[emulation]") {
  EmulatedShowOptions options;
  options.seconds = 5;
  options.path.loss = 0.05;
  options.sound = true;
  options.date_step_at_s = 3;
  std::string reason;
  const auto result = play_on_emulated_hosts(options, reason);
  if (!result) {
    WARN("skipped: " << reason);
    return;
  }
  CAPTURE(result->err, result->report.value("error", ""));
  REQUIRE(result->exit_code == 0);
  CHECK(result->pictures > 0);
  CHECK(result->wrong_pictures == 0);
  CHECK(result->report.at("frames_scheduled") == 120);
  CHECK(result->report.at("clock").size() == 3);
  const nlohmann::json audio = result->report.at("audio");
  CAPTURE(audio);
  CHECK(audio.at("state") == "played");
  CHECK(audio.at("host") == result->report.at("per_panel").at(2).at("host"));
  CHECK(result->violations == 0);
  REQUIRE(!result->skews_ns.empty());
  // Two days apart and 200 ppm by themselves; nothing here depends on how busy the machine is.
  const std::int64_t bound_ns =
      *std::max_element(result->bounds_ns.begin(), result->bounds_ns.end());
  CHECK(*std::max_element(result->skews_ns.begin(), result->skews_ns.end()) <= 2 * bound_ns);
}

TEST_CASE("hosts that have not a volume's file draw it by the boxes of the one that has it",
          "[emulation][view]") {
  const TemporaryFolder folder;
  std::string reason;
  const auto network = EmulatedNetwork::try_make({{}, {}}, {}, folder.path(), reason);
  if (!network) {
    WARN("skipped: " << reason);
    return;
  }
  write_pyramid(
      folder / "data" / "ball.zarr", {72, 64, 64}, 3,
      [](int x, int y, int z) { return static_cast<std::uint8_t>(x * 3 + y * 2 + z); }, 16);
  std::ofstream wall(folder / "wall.toml");
  wall << "columns = 2\nrows = 1\n[panels]\nsize_px = [160, 96]\n";
  for (int i = 0; i < 2; ++i)
    wall << "[[host]]\nname = \"" << network->hosts()[static_cast<std::size_t>(i)].name
         << "\"\naddress = \"" << network->hosts()[static_cast<std::size_t>(i)].address
         << "\"\ncolumns = [" << i << "]\n";
  wall.close();
  const auto shown = [&](const Words& before, const Words& more, const std::string& hidden) {
    Words words = before;
    words.insert(words.end(),
                 {tilewall_program, "view", (folder / "data" / "ball.zarr").string(), "--wall",
                  (folder / "wall.toml").string(), "--headless", "--hashes", "--memory", "1",
                  "--range", "0,255", "--report", (folder / "report.json").string()});
    words.insert(words.end(), more.begin(), more.end());
    ProgramOptions options;
    options.environment = {{hidden_folder_variable, hidden}};
    const ProgramResult result = RunningProgram(words, options).wait(std::chrono::seconds(60));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const nlohmann::json report = read_report(folder / "report.json");
    return std::vector{shown_by(report, "c0r0"), shown_by(report, "c1r0")};
  };
  const auto there =
      shown(network->at_head(), {"--launcher", network->launcher()}, (folder / "data").string());
  CHECK(there == shown({}, {"--local"}, ""));
  CHECK_FALSE(there[0].empty());
}

TEST_CASE("a skewed clock's instants are converted both ways to the nanosecond", "[emulation]") {
  ClockSkew skew;
  skew.offset_ns = 7'777'777'777'777;
  skew.anchor_monotonic_ns = 1'000'000'000'000;
  skew.anchor_realtime_ns = 1'700'000'000'000'000'000;
  skew.date_step_ns = -1'000'000'000;
  for (const double drift_ppm : {0.0, 100.0, -100.0, 37.5}) {
    skew.drift_ppm = drift_ppm;
    for (const std::int64_t at : {0L, 1L, 123'456'789L, 86'400'000'000'000L}) {
      const std::int64_t monotonic_ns = skew.anchor_monotonic_ns + at;
      const std::int64_t realtime_ns = skew.anchor_realtime_ns + at;
      CHECK(std::abs(skew.machine_monotonic_ns(skew.monotonic_ns(monotonic_ns)) - monotonic_ns) <=
            1);
      CHECK(std::abs(skew.machine_realtime_ns(skew.realtime_ns(realtime_ns)) - realtime_ns) <= 1);
    }
  }
}
