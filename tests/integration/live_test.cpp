// A simulation that feeds a wall while it runs: every picture is of one whole timestep, on all
// panels, whoever dies.

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "net/source/tilewall_source.h"
#include "player/volume/caster/picture_maker.hpp"
#include "render/transfer/named_transfers.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/unused_port.hpp"
#include "tests/support/wall_client.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::test;
using namespace tilewall::volume;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr VolumeSize live_size{24, 20, 16};

/// The value of a voxel in a timestep: each cell of 4 x 4 x 4 voxels says which timestep it is of.
/// All timesteps have the same least and greatest value, and so the same colours.
std::uint8_t live_voxel(int x, int y, int z, std::int64_t timestep) {
  if (x + y + z == 0) return 0;
  if (x == 1 && y + z == 0) return 255;
  const std::int64_t cell = x / 4 + 6 * (y / 4) + 30 * (z / 4);
  return static_cast<std::uint8_t>((timestep * 53 + cell * 29) % 251);
}

/// Ranks with layers of the grid, a thread each, of unequal speed.
class Simulation {
 public:
  Simulation(int port, int ranks) {
    for (int rank = 0; rank < ranks; ++rank)
      threads_.emplace_back(
          [this, port, rank, ranks](const std::stop_token& stop) { run(port, rank, ranks, stop); });
  }

  [[nodiscard]] std::int64_t steps() const noexcept { return steps_; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  void run(int port, int rank, int ranks, const std::stop_token& stop) {
    const std::int64_t grid[3] = {live_size.x, live_size.y, live_size.z};
    const std::string where = "127.0.0.1:" + std::to_string(port);
    tilewall_source* source = nullptr;
    if (tilewall_open(where.c_str(), "sim", rank, ranks, grid, nullptr, &source) != TILEWALL_OK) {
      failed_ = true;
      return;
    }
    const tilewall_box box = {{0, 0, live_size.z * rank / ranks},
                              {live_size.x, live_size.y, live_size.z * (rank + 1) / ranks}};
    std::minstd_rand random(static_cast<unsigned>(rank));
    std::vector<std::uint8_t> voxels;
    for (std::int64_t step = 0; !stop.stop_requested(); ++step) {
      voxels.clear();
      for (auto z = static_cast<int>(box.begin[2]); z < box.end[2]; ++z)
        for (int y = 0; y < live_size.y; ++y)
          for (int x = 0; x < live_size.x; ++x) voxels.push_back(live_voxel(x, y, z, step));
      if (tilewall_put(source, "u", &box, nullptr, nullptr, TILEWALL_U8, voxels.data()) !=
              TILEWALL_OK ||
          tilewall_end_step(source, static_cast<double>(step)) != TILEWALL_OK)
        failed_ = true;
      if (rank == 0) steps_ = step;
      std::this_thread::sleep_for(std::chrono::milliseconds(2 + random() % 4));
      // Ranks of a real simulation wait for their neighbours.
      while (rank != 0 && step > steps_ + 2 && !stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    tilewall_close(source);
  }

  std::atomic<std::int64_t> steps_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::jthread> threads_;  // last: they use what stands above
};

VolumeCamera live_camera() {
  VolumeCamera camera;
  camera.eye = {30, -60, 25};
  camera.look_at = {11.5, 9.5, 7.5};
  camera.up = {0, 0, 1};
  camera.fov_rad = 25 * 3.14159265358979323846 / 180;
  return camera;
}

/// The hash of a panel's picture of a timestep, drawn without processes.
std::string live_hash(std::int64_t timestep, const std::string& panel) {
  static std::map<std::int64_t, std::map<std::string, std::string>> known;
  auto& hashes = known[timestep];
  if (hashes.empty()) {
    VoxelArray voxels(VoxelType::u8, live_size);
    std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
    for (int z = 0; z < live_size.z; ++z)
      for (int y = 0; y < live_size.y; ++y)
        for (int x = 0; x < live_size.x; ++x) *to++ = live_voxel(x, y, z, timestep);
    ReadyTimestep ready(Volume(std::move(voxels)), 1);
    VolumeStyle style;
    style.transfer = named_transfer("default").value();
    CastMessage request;
    set_camera(request, live_camera());
    request.picture_width = request.width = pair_canvas_px.width;
    request.picture_height = request.height = pair_canvas_px.height;
    TestPicture picture(pair_canvas_px);
    make_picture(ready, {to_json(style).dump(), style}, request, picture.view(), 1);
    for (const std::string& one : pair_panels) hashes[one] = hash_on_panel(picture, one);
  }
  return hashes.at(panel);
}

/// A wall of two panels that waits for the simulation.
class LiveShow {
 public:
  explicit LiveShow(const Words& more = {}) {
    std::ofstream(folder_ / "camera.toml")
        << "eye = [30, -60, 25]\nlook_at = [11.5, 9.5, 7.5]\nup = [0, 0, 1]\nfov_deg = 25\n";
    Words words = {tilewall_program,
                   "view",
                   "live:sim",
                   "--live-listen",
                   "127.0.0.1:" + std::to_string(port_),
                   "--camera",
                   (folder_ / "camera.toml").string(),
                   "--caster",
                   "cpu",
                   "--wall",
                   test_wall("two-by-one.toml"),
                   "--headless",
                   "--hashes",
                   "--report",
                   (folder_ / "report.json").string(),
                   "--run-dir",
                   run_dir().string()};
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(words);
  }

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }
  [[nodiscard]] Json status() const {
    const ProgramResult status = ctl({"status", "--json"});
    return status.exit_code == 0 ? Json::parse(status.out) : Json();
  }
  [[nodiscard]] ProgramResult ctl(Words words) const {
    words.insert(words.begin(), {tilewall_program, "ctl"});
    words.insert(words.end(), {"--run-dir", run_dir().string()});
    return run_program(words);
  }
  /// Whether further timesteps are shown.
  [[nodiscard]] bool goes_on() const {
    const auto timestep = [&] {
      const Json now = status();
      const bool shows = now.is_object() && !now.at("live").empty() &&
                         now.at("live")[0].at("timestep").is_number();
      return shows ? now.at("live")[0].at("timestep").get<std::int64_t>() : -1;
    };
    std::int64_t before = -1;
    return eventually([&] { return (before = timestep()) >= 0; }, std::chrono::seconds(30)) &&
           eventually([&] { return timestep() != before; }, std::chrono::seconds(30));
  }
  void kill(const std::string& role) const {
    const pid_t pid = pid_in(run_dir() / "pids" / role);
    REQUIRE(pid > 0);
    ::kill(pid, SIGKILL);
    REQUIRE(eventually(
        [&] {
          const pid_t now = pid_in(run_dir() / "pids" / role);
          return now > 0 && now != pid && is_alive(now);
        },
        std::chrono::seconds(30)));
  }
  Show finish() {
    CHECK(ctl({"quit"}).exit_code == 0);
    return wait();
  }
  Show wait() { return end_of(*program_, folder_ / "report.json"); }

 private:
  TemporaryFolder folder_;
  const int port_ = unused_port();
  std::optional<RunningProgram> program_;
};

/// Checks that every picture is that of one whole timestep, and returns the timesteps in order.
std::vector<std::int64_t> checked_timesteps(const Json& report, const std::string& panel) {
  std::vector<std::int64_t> timesteps;
  for (const Json& one : report.at("live_shown")) {
    if (one.at("panel") != panel) continue;
    for (const Json& frame : one.at("frames")) {
      const auto timestep = frame.at("timestep").get<std::int64_t>();
      CAPTURE(panel, timestep);
      CHECK(frame.at("hash") == live_hash(timestep, panel));
      if (timesteps.empty() || timesteps.back() != timestep) timesteps.push_back(timestep);
    }
  }
  return timesteps;
}

}  // namespace

TEST_CASE("every picture of a live source is one whole timestep, the same on all panels",
          "[live]") {
  LiveShow show({"--frames", "12"});
  Simulation simulation(show.port(), 3);
  const Show ended = show.wait();
  CAPTURE(ended.program.err);
  REQUIRE(ended.program.exit_code == 0);
  CHECK(!simulation.failed());
  const Json live = ended.report.at("live").at(0);
  CAPTURE(live);
  CHECK(live.at("shown") >= 12);
  CHECK(live.at("ranks") == 3);
  const std::vector<std::int64_t> first = checked_timesteps(ended.report, "c0r0");
  const std::vector<std::int64_t> second = checked_timesteps(ended.report, "c1r0");
  // A panel may not have told of its last picture.
  const std::size_t both = std::min(first.size(), second.size());
  REQUIRE(both >= 11);
  CHECK(
      std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(both), second.begin()));
  CHECK(std::ranges::is_sorted(first));
}

TEST_CASE("a live wall goes on when a caster, its director, a panel or the simulation dies",
          "[live]") {
  LiveShow show;
  auto simulation = std::make_unique<Simulation>(show.port(), 2);
  REQUIRE(show.goes_on());
  const std::int64_t steps = simulation->steps();
  for (const char* role : {"caster", "panel-1", "director"}) {
    CAPTURE(role);
    show.kill(role);
    CHECK(show.goes_on());
  }
  CHECK(simulation->steps() > steps);
  CHECK(!simulation->failed());
  simulation.reset();
  simulation = std::make_unique<Simulation>(show.port(), 3);  // a new run, with other ranks
  CHECK(eventually([&] { return show.status().at("live").at(0).at("ranks") == 3; },
                   std::chrono::seconds(30)));
  CHECK(show.goes_on());
  CHECK(eventually([&] { return show.status().at("live").at(0).at("kept") >= 3; },
                   std::chrono::seconds(30)));
  const ProgramResult held = show.ctl({"live", "hold", "--json"});
  CAPTURE(held.err);
  CHECK(held.exit_code == 0);
  const ProgramResult back = show.ctl({"live", "back", "1"});
  CAPTURE(back.err);
  CHECK(back.exit_code == 0);
  CHECK(show.ctl({"live", "back", "100000"}).exit_code == 2);
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  for (const std::string& panel : pair_panels)
    CHECK(!checked_timesteps(ended.report, panel).empty());
}
