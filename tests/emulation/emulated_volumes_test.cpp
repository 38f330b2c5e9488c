// Volumes on several emulated hosts: one of them has the file, or reads it slowly.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "sync/base/file.hpp"
#include "tests/emulation/emulated_show.hpp"
#include "tests/emulation/emulated_wall.hpp"
#include "tests/emulation/network_or_skip.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// The pictures that a panel showed, the oldest first.
struct Shown {
  std::string hash;
  std::int64_t stamp_ns = 0;
};
std::vector<Shown> pictures_of(const nlohmann::json& report, const std::string& panel) {
  std::vector<Shown> shown;
  const nlohmann::json part = panel_report(report, panel);
  for (const auto& frame : part.at("frames"))
    shown.push_back({frame.at("hash"), frame.at("stamp_ns")});
  return shown;
}

void write_npy(const std::filesystem::path& file) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 20, 24), }";
  header.resize(117, ' ');
  std::filesystem::create_directories(file.parent_path());
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int i = 0; i < 24 * 20 * 16; ++i) to.put(static_cast<char>(i % 24 * 8 + i / 480));
}

}  // namespace

TEST_CASE("hosts that have not a volume's file draw it by the boxes of the one that has it",
          "[emulation][view]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  write_pyramid(
      folder / "data" / "ball.zarr", {72, 64, 64}, 3,
      [](int x, int y, int z) { return static_cast<std::uint8_t>(x * 3 + y * 2 + z); }, 16);
  write_wall_of(folder / "wall.toml", *network, 1);
  write_npy(folder / "data" / "later" / "late.npy");
  // The pictures that each panel shows first, and at last, of a volume that comes in while the show
  // runs.
  const auto shown = [&](const Words& before, const Words& more, const std::string& hidden) {
    const TemporaryFolder run;
    const auto tilewall = [&](const Words& payload) {
      Words all = before;
      all.push_back(tilewall_program);
      all.insert(all.end(), payload.begin(), payload.end());
      all.insert(all.end(), {"--run-dir", (run / "run").string()});
      return all;
    };
    Words payload =
        tilewall({"view", (folder / "data" / "ball.zarr").string(), "--wall",
                  (folder / "wall.toml").string(), "--headless", "--hashes", "--loop", "--memory",
                  "1", "--range", "0,255", "--report", (run / "report.json").string()});
    payload.insert(payload.end(), more.begin(), more.end());
    ProgramOptions options;
    options.environment = {{hidden_folder_variable, hidden}};
    RunningProgram show(payload, options);
    const auto level_is = [&](const std::function<bool(int)>& as_awaited) {
      return eventually(
          [&] {
            const ProgramResult asked = run_program(tilewall({"ctl", "status", "--json"}));
            const nlohmann::json status = nlohmann::json::parse(asked.out, nullptr, false);
            return status.is_object() && status.at("frames_shown") > 0 &&
                   std::ranges::all_of(status.at("per_panel"), [&](const nlohmann::json& panel) {
                     return panel.contains("volume") && panel.at("volume").is_object() &&
                            as_awaited(panel.at("volume").value("level", -1));
                   });
          },
          std::chrono::seconds(30));
    };
    CHECK(level_is([](int level) { return level > 0; }));
    const auto ctl = [&](const Words& verb) {
      Words all = {"ctl"};
      all.insert(all.end(), verb.begin(), verb.end());
      const ProgramResult result = run_program(tilewall(all));
      CAPTURE(result.err);
      CHECK(result.exit_code == 0);
    };
    ctl({"open", (folder / "data" / "later" / "late.npy").string()});
    CHECK(level_is([](int level) { return level == 0; }));  // all of it fits
    ctl({"snapshot", (run / "last.png").string()});         // saves the picture that is shown
    ctl({"quit"});
    const ProgramResult result = show.wait(std::chrono::seconds(30));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const nlohmann::json report = read_report(run / "report.json");
    std::vector<std::string> hashes;
    for (const char* panel : {"c0r0", "c1r0"}) {
      const std::vector<ShownHash> pictures = shown_by(report, panel);
      REQUIRE_FALSE(pictures.empty());
      hashes.insert(hashes.end(), {pictures.front().hash, pictures.back().hash});
    }
    return hashes;
  };
  const auto there = shown(network->at_head(),
                           {"--launcher", network->launcher(), "--key-file", network->key_file()},
                           (folder / "data").string());
  CHECK(there == shown({}, {"--local"}, ""));
  CHECK(there[0] != there[1]);
}

TEST_CASE("hosts go over from a volume's overview to its detail together, however slow one reads",
          "[emulation][view]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  write_ball_pyramid(folder / "ball.zarr");
  write_wall_of(folder / "wall.toml", *network, 1);
  const auto camera = [&](int number) {
    return (folder / "camera").string() + std::to_string(number);
  };
  for (int i = 0; i < 2; ++i)
    std::ofstream(camera(i)) << "eye = [" << 30 + 20 * i << ", -60, 25]\nlook_at = [35, 31, 31]\n"
                             << "up = [0, 0, 1]\nfov_deg = 8\n";
  const auto view = [&](const Words& before, const Words& more) {
    Words payload = before;
    payload.insert(payload.end(),
                   {tilewall_program, "view", (folder / "ball.zarr").string(), "--wall",
                    (folder / "wall.toml").string(), "--headless", "--hashes", "--memory", "1",
                    "--range", "0,255", "--report", (folder / "report.json").string()});
    payload.insert(payload.end(), more.begin(), more.end());
    return payload;
  };
  const std::vector<std::string> panels = {"c0r0", "c1r0"};
  std::vector<std::vector<std::string>> exact;  // hashes of each view's panels, on one host
  for (int i = 0; i < 2; ++i) {
    const ProgramResult alone = run_program(view({}, {"--local", "--camera", camera(i)}));
    CAPTURE(alone.err);
    REQUIRE(alone.exit_code == 0);
    const nlohmann::json report = read_report(folder / "report.json");
    exact.emplace_back();
    for (const std::string& panel : panels)
      exact.back().push_back(shown_by(report, panel).back().hash);
  }

  RunningProgram show(view(network->at_head(),
                           {"--launcher", network->launcher(), "--key-file", network->key_file(),
                            "--loop", "--run-dir", (folder / "run").string()}));
  const auto ctl = [&](const Words& payload) {
    Words all = network->at_head();
    all.insert(all.end(), {tilewall_program, "ctl"});
    all.insert(all.end(), payload.begin(), payload.end());
    all.insert(all.end(), {"--run-dir", (folder / "run").string()});
    return run_program(all);
  };
  const auto panel_is = [&](std::size_t panel, const auto& as_awaited) {
    return eventually([&] {
      const auto status = nlohmann::json::parse(ctl({"status", "--json"}).out, nullptr, false);
      return status.is_object() && as_awaited(status.at("per_panel").at(panel));
    });
  };
  const auto shows_exact = [&](int view, std::size_t panel) {
    return panel_is(panel, [&](const nlohmann::json& status) {
      return status.at("hash") == exact[static_cast<std::size_t>(view)][panel];
    });
  };
  const auto shows_overview = [](const nlohmann::json& panel) {
    return panel.at("volume").is_object() && panel.at("volume").at("level") > 0;
  };
  REQUIRE(panel_is(1, [](const nlohmann::json& panel) { return panel.at("frames_shown") > 0; }));
  // The second host's disk gives nothing for much longer than the first one needs to read.
  const auto turn = [&](int to) {
    signal_processes("tilewall-volume-reader", network->hosts()[1], SIGSTOP);
    CHECK(ctl({"camera", camera(to), "--glide", "0"}).exit_code == 0);
    CHECK(panel_is(1, shows_overview));
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    signal_processes("tilewall-volume-reader", network->hosts()[1], SIGCONT);
    CHECK(shows_exact(to, 0));
    CHECK(shows_exact(to, 1));
  };
  turn(0);  // while it plays on
  CHECK(ctl({"pause"}).exit_code == 0);
  turn(1);
  const auto status = nlohmann::json::parse(ctl({"status", "--json"}).out);
  const auto killed = status.at("per_panel").at(1).at("pid").get<pid_t>();
  ::kill(killed, SIGKILL);
  CHECK(panel_is(1, [&](const nlohmann::json& panel) {
    return panel.at("restarts") == 1 && panel.at("connected") == true &&
           panel.at("pid") != killed && panel.at("volume").is_object();
  }));
  CHECK(shows_exact(1, 1));
  CHECK(ctl({"quit"}).exit_code == 0);
  const ProgramResult ended = show.wait(std::chrono::seconds(20));
  CAPTURE(ended.err);
  CHECK(ended.exit_code == 0);

  const nlohmann::json report = read_report(folder / "report.json");
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<std::int64_t> since_ns;
    for (std::size_t panel = 0; panel < 2; ++panel) {
      const std::vector<Shown> shown = pictures_of(report, panels[panel]);
      const auto is_right = [&](const Shown& one) { return one.hash == exact[i][panel]; };
      const auto first = std::find_if(shown.begin(), shown.end(), is_right);
      CAPTURE(i, panels[panel], shown.size());
      REQUIRE(first != shown.end());
      since_ns.push_back(first->stamp_ns);
      // From then on it is what is shown, also by a panel that was started again.
      if (i == 1) CHECK(std::all_of(first, shown.end(), is_right));
    }
    // One of them had it a second before the other.
    CHECK(std::abs(since_ns[0] - since_ns[1]) < 400'000'000);
  }
}
