// Volumes from a server: the wall shows the same pictures as from its own disk, also after the
// server was away.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/serve_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string wall_file = "two-by-one.toml";

void write_ball(const fs::path& file, int step) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 20, 24), }";
  header.resize(117, ' ');
  fs::create_directories(file.parent_path());
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int z = 0; z < 16; ++z)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 24; ++x)
        to.put(
            static_cast<char>(std::max(0.0, 255 - 24 * std::hypot(x - 11 - step, y - 9, z - 7))));
}

/// Shells in bricks: mostly nothing, and more than 11 MiB hold as a whole.
void write_bricks_of_shells(const fs::path& folder) {
  constexpr int side = 160;
  std::string bytes;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double a = std::hypot(x - 50, y - 60, z - 70);
        const double b = std::hypot(x - 110, y - 100, z - 90);
        const bool shell = std::abs(a - 24) < 4 || std::abs(b - 20) < 4;
        bytes += static_cast<char>(shell ? 120 + 6 * ((x + y) % 3) : 0);
      }
  const fs::path raw = folder.parent_path() / "shells.raw";
  std::ofstream(raw, std::ios::binary) << bytes;
  const fs::path sidecar = fs::path(raw).replace_extension(".toml");
  std::ofstream(sidecar) << "size = [160, 160, 160]\ntype = \"u8\"\nfile = \"shells.raw\"\n";
  const ProgramResult result = run_program(
      {tilewall_program, "brick", sidecar.string(), "-o", folder.string(), "--brick", "32"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
}

/// What each panel showed.
std::vector<std::vector<ShownHash>> shown(const std::string& input, const Words& more = {}) {
  const TemporaryFolder folder;
  Words words = {tilewall_program,
                 "view",
                 input,
                 "--wall",
                 test_wall(wall_file),
                 "--headless",
                 "--hashes",
                 "--late",
                 "slow",
                 "--report",
                 (folder / "report.json").string()};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = run_program(words);
  CAPTURE(input, result.err);
  REQUIRE(result.exit_code == 0);
  const Json report = read_report(folder / "report.json");
  std::vector<std::vector<ShownHash>> panels;
  for (const std::string& panel : pair_panels) {
    panels.push_back(shown_by(report, panel));
    const Json volume = panel_report(report, panel).at("volume");
    CHECK(volume.at("held_bytes") <= volume.at("memory_limit_bytes"));
  }
  return panels;
}

}  // namespace

TEST_CASE("a wall shows a server's volumes as its own", "[view][remote]") {
  const TemporaryFolder folder;
  for (int step = 0; step < 3; ++step)
    write_ball(folder / "served" / "run" / ("ball-000" + std::to_string(step) + ".npy"), step);
  write_ball_pyramid(folder / "served" / "large.zarr");
  write_private_file(folder / "key", "sixteen bytes or more");
  const std::string key = (folder / "key").string();
  const ServeProgram server(folder / "served", {"--key-file", key});
  const auto both = [&](const std::string& name, const std::string& how, const Words& more) {
    Words keyed = more;
    keyed.insert(keyed.end(), {"--key-file", key});
    CHECK(shown(url_of(server.port(), name + how), keyed) ==
          shown((folder / "served" / name).string(), more));
  };
  both("run/ball-%04d.npy", "?encrypt=yes", {});
  both("large.zarr", "?transport=tcp", {"--memory", "1", "--range", "0,255"});
}

TEST_CASE("of a server's bricks a wall holds what of the file itself: those that show something",
          "[view][remote]") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "served");
  write_bricks_of_shells(folder / "served" / "shells.zarr");
  std::ofstream(folder / "camera.toml") << "eye = [80, -300, 78]\nlook_at = [80, 80, 78]\n"
                                           "up = [0, 0, 1]\nfov_deg = 14\n";
  const ServeProgram server(folder / "served");
  const auto snapshot = [&](const std::string& input) {
    const fs::path picture = folder / "picture.png";
    const ProgramResult result = run_program({tilewall_program,
                                              "view",
                                              input,
                                              "--wall",
                                              test_wall(wall_file),
                                              "--headless",
                                              "--frames",
                                              "1",
                                              "--memory",
                                              "11",
                                              "--range",
                                              "90,345",
                                              "--caster",
                                              "cpu",
                                              "--camera",
                                              (folder / "camera.toml").string(),
                                              "--snapshot",
                                              "0:" + picture.string(),
                                              "--report",
                                              (folder / "report.json").string()});
    CAPTURE(input, result.err);
    REQUIRE(result.exit_code == 0);
    const Json report = read_report(folder / "report.json");
    for (const std::string& panel : pair_panels) {
      const Json volume = panel_report(report, panel).at("volume");
      CHECK(volume.at("level") == 0);
      CHECK(volume.at("held_bytes") <= volume.at("memory_limit_bytes"));
    }
    return read_text_file(picture, std::size_t{1} << 20);
  };
  CHECK(snapshot(url_of(server.port(), "shells.zarr")) ==
        snapshot((folder / "served" / "shells.zarr").string()));
}

TEST_CASE("a server tells which volumes it has, and what they hold", "[view][remote]") {
  const TemporaryFolder folder;
  write_ball(folder / "ball.npy", 0);
  write_ball_pyramid(folder / "deep" / "large.zarr");
  const ServeProgram server(folder.path());
  const auto info = [](const std::string& input) {
    const ProgramResult result = run_program({tilewall_program, "info", input, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return Json::parse(result.out);
  };
  const Json volumes = info(url_of(server.port(), "")).at("volumes");
  REQUIRE(volumes.size() == 2);
  CHECK(volumes[0].at("name") == "ball.npy");
  CHECK(volumes[1].at("name") == "deep/large.zarr");
  CHECK(volumes[1].at("size_voxels") == Json({72, 64, 64}));
  for (const std::string name : {"ball.npy", "deep/large.zarr"}) {
    Json there = info(url_of(server.port(), name));
    Json here = info((folder / name).string());
    there.erase("file");
    here.erase("file");
    CHECK(there == here);
  }
  const ProgramResult wrong =
      run_program({tilewall_program, "view", url_of(server.port(), "bell.npy"), "--wall",
                   test_wall(wall_file), "--headless"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err ==
        "tilewall: bell.npy: expected a movie or volume of this server, which has "
        "ball.npy, deep/large.zarr, found none\n");
}

TEST_CASE("a server that is gone is told once, and the picture comes when it is back",
          "[view][remote]") {
  const TemporaryFolder folder;
  write_ball_pyramid(folder / "served" / "large.zarr");
  std::ofstream(folder / "near.toml") << "eye = [30, -60, 25]\nlook_at = [35, 31, 31]\n"
                                         "up = [0, 0, 1]\nfov_deg = 8\n";
  // What each panel shows in the end, turned to another part than the one that was read first.
  const auto turned = [&](const std::string& input, const std::function<void()>& leave,
                          const std::function<void()>& come_back) {
    const TemporaryFolder run;
    RunningProgram show({tilewall_program, "view", input, "--wall", test_wall(wall_file),
                         "--headless", "--loop", "--hashes", "--memory", "1", "--range", "0,255",
                         "--run-dir", (run / "run").string(), "--report",
                         (run / "report").string()});
    const auto ctl = [&](Words words) {
      words.insert(words.begin(), {tilewall_program, "ctl"});
      words.insert(words.end(), {"--run-dir", (run / "run").string()});
      return run_program(words);
    };
    const auto status_is = [&](const std::function<bool(const Json&)>& as_awaited) {
      return eventually([&] {
        const Json status = Json::parse(ctl({"status", "--json"}).out, nullptr, false);
        return status.is_object() && as_awaited(status);
      });
    };
    REQUIRE(status_is([](const Json& status) { return status.at("frames_shown") > 0; }));
    CHECK(ctl({"pause"}).exit_code == 0);
    leave();
    CHECK(ctl({"camera", (folder / "near.toml").string()}).exit_code == 0);
    come_back();
    REQUIRE(status_is([](const Json& status) {
      return std::ranges::all_of(status.at("per_panel"), [](const Json& panel) {
        return panel.at("volume").at("level") == 0;  // the turned picture's, the first one's is not
      });
    }));
    CHECK(ctl({"snapshot", (run / "last.png").string()}).exit_code == 0);  // it is shown
    CHECK(ctl({"quit"}).exit_code == 0);
    CHECK(show.wait(std::chrono::seconds(20)).exit_code == 0);
    return read_report(run / "report");
  };
  std::optional<ServeProgram> first(folder / "served");
  const std::string address = "127.0.0.1:" + std::to_string(first->port());
  std::optional<RunningProgram> second;
  const Json there = turned(
      "tilewall://" + address + "/large.zarr",
      [&] {
        first->program().send_signal(SIGKILL);
        first.reset();
      },
      [&] {
        std::this_thread::sleep_for(std::chrono::seconds(3));  // long enough to be told
        second.emplace(
            Words{tilewall_program, "serve", (folder / "served").string(), "--listen", address});
      });
  const Json here = turned((folder / "served" / "large.zarr").string(), [] {}, [] {});
  for (const std::string& panel : pair_panels) {
    const std::string last = shown_by(there, panel).back().hash;
    CHECK(last == shown_by(here, panel).back().hash);
    CHECK(last != shown_by(there, panel).front().hash);
    CHECK(panel_report(there, panel).at("volume").at("level") == 0);
  }
  int told = 0;
  for (const Json& note : there.value("notes", Json::array()))
    told += note.get<std::string>().find("its server is gone") != std::string::npos ? 1 : 0;
  CHECK(told == 1);
}
