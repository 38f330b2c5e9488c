// Shows whose clock daemons die: the panels play on, everybody says so, and nothing steps.

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "tests/support/clockd.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr int frames = 180;  // 6 s

/// A show on two panels that keeps to these daemons.
class ClockedShow {
 public:
  ClockedShow(const TemporaryFolder& folder, const std::string& clock_addresses)
      : report_(folder / "report.json") {
    write_numbered_movie(folder / "movie", {320, 96}, 12);
    std::ofstream(folder / "wall.toml")
        << "columns = 2\nrows = 1\nclock_address = " << clock_addresses
        << "\n[panels]\nsize_px = [160, 96]\n";
    const fs::path begun = folder / "begun.png";
    program_.emplace(Words{tilewall_program, "play", (folder / "movie").string(), "--wall",
                           (folder / "wall.toml").string(), "--headless", "--loop", "--late",
                           "slow", "--fps", "30", "--frames", std::to_string(frames), "--report",
                           report_.string(), "--snapshot", "2:" + begun.string()});
    REQUIRE(eventually([&] { return fs::exists(begun); }));
  }

  Show finish() { return end_of(*program_, report_); }

 private:
  const fs::path report_;
  std::optional<RunningProgram> program_;
};

std::string quoted(const std::string& text) { return '"' + text + '"'; }

}  // namespace

TEST_CASE("a show goes on with the standby clock daemon and says so", "[play][clock]") {
  const TemporaryFolder folder;
  const TemporaryFolder standby_folder;
  Clockd first(folder.path());
  const Clockd standby(standby_folder.path(), {"--follow", first.address()});
  ClockedShow running(folder,
                      "[" + quoted(first.address()) + ", " + quoted(standby.address()) + "]");
  first.stop(SIGKILL);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == frames);
  const auto& clock = show.report.at("clock");
  REQUIRE(clock.size() == 1);
  CHECK(clock[0].at("state") == "locked");
  CHECK(clock[0].at("daemon") == 1);
  CHECK(clock[0].at("failovers") == 1);
  CHECK_THAT(show.program.err, Catch::Contains("the standby clock daemon"));
}

TEST_CASE("a show without its only clock daemon is in holdover, says so, and comes back",
          "[play][clock]") {
  const TemporaryFolder folder;
  auto daemon = std::make_unique<Clockd>(folder.path());
  const std::string address = daemon->address();
  ClockedShow running(folder, quoted(address));
  daemon->stop(SIGKILL);
  std::this_thread::sleep_for(std::chrono::seconds(2));  // a holdover is one after a second
  daemon = std::make_unique<Clockd>(folder.path(), Words{}, address);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == frames);
  const auto& clock = show.report.at("clock");
  REQUIRE(clock.size() == 1);
  CHECK(clock[0].at("state") == "locked");
  CHECK(clock[0].at("holdovers") == 1);
  CHECK(clock[0].at("holdover_s") > 0);
  CHECK_THAT(show.program.err, Catch::Contains("no clock daemon answers") &&
                                   Catch::Contains("in step with the clock daemon again"));
}
