// From a simulation to a presentation without a conversion by hand: the wall shows the simulation
// while it runs and writes its timesteps, key frames are taken there, `render` makes a movie from
// the files, and a show file has the live source, the stored series and the movie as cues.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "player/path/path_file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/unused_port.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

/// A wall of two panels with a run directory, and the simulation that it listens to.
class Desk {
 public:
  explicit Desk(fs::path run_dir) : run_dir_(std::move(run_dir)) {}

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] RunningProgram wall(Words words) const {
    words.insert(words.begin(), tilewall_program);
    words.insert(words.end(), {"--wall", test_wall("two-by-one.toml"), "--headless", "--run-dir",
                               run_dir_.string()});
    return RunningProgram(words);
  }
  [[nodiscard]] RunningProgram simulation(const Words& more) const {
    Words words = {"mpirun",          "--mca",  "btl",     "self,tcp",
                   "--oversubscribe", "-n",     "1",       program_path("gray_scott"),
                   "--grid",          "24",     "--every", "1000",
                   "--wall",          address()};
    words.insert(words.end(), more.begin(), more.end());
    return RunningProgram(words);
  }
  [[nodiscard]] ProgramResult ctl(Words words) const {
    words.insert(words.begin(), {tilewall_program, "ctl"});
    words.insert(words.end(), {"--run-dir", run_dir_.string()});
    return run_program(words);
  }
  /// The first region of the status; null where there is none.
  [[nodiscard]] Json region() const {
    const ProgramResult status = ctl({"status", "--json"});
    if (status.exit_code != 0) return {};
    const Json json = Json::parse(status.out);
    return json.contains("scene") ? json.at("scene").at("regions").at(0) : Json();
  }
  [[nodiscard]] std::string shown() const {
    const Json shown = region();
    return shown.is_object() ? shown.value("path", "") : "";
  }
  [[nodiscard]] bool shows_timesteps() const {
    const ProgramResult status = ctl({"status", "--json"});
    if (status.exit_code != 0) return false;
    const Json json = Json::parse(status.out);
    return json.contains("live") && !json.at("live").empty() &&
           json.at("live")[0].at("shown").get<int>() > 1;
  }

 private:
  const fs::path run_dir_;
  const int port_ = unused_port();
};

}  // namespace

TEST_CASE("a running simulation becomes a movie and a presentation", "[render]") {
  const TemporaryFolder folder;
  const auto at = [&](const char* name) { return (folder / name).string(); };
  fs::create_directory(folder / "out");
  {
    const Desk desk(folder / "first");
    RunningProgram wall =
        desk.wall({"view", "live:gs", "--live-listen", desk.address(), "--range", "0,0.4"});
    RunningProgram simulation = desk.simulation({"--steps", "1000000", "--files", at("out")});
    REQUIRE(eventually([&] { return desk.shows_timesteps(); }, 30s));
    REQUIRE(desk.ctl({"keyframe", "add", at("flight.toml"), "--timestep", "0"}).exit_code == 0);
    REQUIRE(desk.ctl({"camera", "orbit", "60,0,0"}).exit_code == 0);
    REQUIRE(desk.ctl({"style", "tf=magma", "caption=It grows", "--glide", "0"}).exit_code == 0);
    REQUIRE(eventually(
        [&] { return desk.region().at("volume").at("style").at("caption") == "It grows"; }));
    REQUIRE(desk.ctl({"keyframe", "add", at("flight.toml"), "--timestep", "3", "--time", "0.5"})
                .exit_code == 0);
    REQUIRE(eventually([&] { return fs::exists(folder / "out" / "gs-000003.npy"); }, 30s));
  }
  const path::PathFile flight = path::read_path_file(at("flight.toml"));
  CHECK(flight.keys[1].style.size() >= 2);
  // No file of a timestep that was being written when the simulation was killed is left half.
  for (const auto& entry : fs::directory_iterator(folder / "out"))
    if (entry.path().extension() == ".npy")
      CHECK(fs::file_size(entry.path()) == 128 + 24 * 24 * 24 * sizeof(float));
  const ProgramResult rendered =
      run_program({tilewall_program, "render", at("flight.toml"), "--volume", at("out/gs-*.npy"),
                   "-o", at("fly"), "--wall", test_wall("two-by-one.toml"), "--range", "0,0.4",
                   "--between", "blend", "--json"},
                  60s);
  CAPTURE(rendered.err);
  REQUIRE(rendered.exit_code == 0);
  CHECK(Json::parse(rendered.out).at("frames") == 12);
  const Desk desk(folder / "second");
  std::ofstream(folder / "show.toml")
      << "[show]\nbounce = 0\n[[cue]]\nname = \"live\"\ninput = \"live:gs\"\n"
      << "live_listen = \"" << desk.address() << "\"\n"
      << "[[cue]]\nname = \"series\"\ninput = \"out/gs-*.npy\"\n"
      << "[[cue]]\nname = \"movie\"\ninput = \"fly\"\n";
  RunningProgram wall = desk.wall({"present", at("show.toml")});
  RunningProgram simulation = desk.simulation({"--steps", "1000000"});
  REQUIRE(eventually([&] { return desk.shows_timesteps(); }, 30s));
  CHECK(desk.shown().starts_with("live:"));
  REQUIRE(desk.ctl({"next"}).exit_code == 0);
  CHECK(eventually([&] { return desk.shown().find("gs-") != std::string::npos; }));
  CHECK(desk.region().at("frames").get<int>() >= 4);
  REQUIRE(desk.ctl({"next"}).exit_code == 0);
  CHECK(eventually([&] { return desk.shown().ends_with("fly"); }));
  CHECK(desk.region().at("frames") == 12);
}
