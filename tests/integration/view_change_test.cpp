// Volumes that `tilewall view` shows while they are turned, restyled and replaced, and while their
// caster dies.

#include <X11/keysym.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "sync/base/file.hpp"
#include "tests/integration/ball_volume.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::scene;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// An epoch and a tick.
using ShownAt = std::pair<std::size_t, std::int64_t>;

/// Of each panel the ticks at which it shows another picture than at the tick before, of those that
/// all panels showed. A wall that shows one state has the same ones on all panels.
std::vector<std::vector<ShownAt>> changes_of(const Json& report,
                                             const std::vector<std::string>& panels) {
  std::vector<std::map<ShownAt, std::string>> shown;
  for (const std::string& panel : panels) {
    shown.emplace_back();
    const auto epochs = epochs_of(report, panel);
    for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch)
      for (const ShownPicture& one : epochs[epoch]) shown.back()[{epoch, one.tick}] = one.hash;
  }
  std::vector<std::vector<ShownAt>> changes(shown.size());
  std::vector<std::string> before(shown.size());
  for (const auto& [at, hash] : shown.front()) {
    const auto shows = [&at = at](const auto& panel) { return panel.contains(at); };
    if (!std::ranges::all_of(shown, shows)) continue;
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (std::exchange(before[i], shown[i].at(at)) != shown[i].at(at)) changes[i].push_back(at);
  }
  return changes;
}

/// Whether the levels that panels draw volumes from become so.
bool levels_become(const ControlledShow& show, const std::function<bool(int)>& as_awaited) {
  return eventually([&] {
    const Json status = Json::parse(show.ctl({"status", "--json"}).out, nullptr, false);
    return status.is_object() && status.at("frames_shown") > 0 &&
           std::ranges::all_of(status.at("per_panel"), [&](const Json& panel) {
             return panel.at("volume").is_object() && as_awaited(panel.at("volume").at("level"));
           });
  });
}

const std::vector<std::string> four_panels = {"c0r0", "c1r0", "c0r1", "c1r1"};

}  // namespace

TEST_CASE("volumes that no panel shows any more are let go of", "[view]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 4; ++i) write_npy(folder / ("ball-" + std::to_string(i) + ".npy"), i);
  ControlledShow show(folder / "ball-0.npy", pair_wall);
  const auto casters = [&] {
    int count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(show.run_dir() / "pids"))
      count += entry.path().filename().string().find("caster") == 0 ? 1 : 0;
    return count;
  };
  REQUIRE(eventually([&] {
    const ProgramResult status = show.ctl({"status", "--json"});
    return status.exit_code == 0 && Json::parse(status.out).at("frames_shown") > 0;
  }));
  for (int i = 1; i < 4; ++i)
    REQUIRE(
        show.ctl({"open", (folder / ("ball-" + std::to_string(i) + ".npy")).string()}).exit_code ==
        0);
  REQUIRE(eventually([&] { return fs::exists(show.run_dir() / "pids" / "caster-3"); }));
  // The one before is there for who comes back, for a moment.
  CHECK(eventually([&] { return casters() <= 2; }));
  CHECK(eventually([&] { return casters() == 1; }, std::chrono::seconds(30)));
  REQUIRE(show.ctl({"open", (folder / "ball-0.npy").string()}).exit_code == 0);
  CHECK(eventually([&] { return casters() == 2; }));
  show.finish();
}

TEST_CASE("a volume is turned and restyled while it is shown, also by a caster that came back",
          "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  ControlledShow show(folder / "ball.npy", pair_wall);
  REQUIRE(eventually([&] {
    const ProgramResult status = show.ctl({"status", "--json"});
    return status.exit_code == 0 && Json::parse(status.out).at("frames_shown") > 0;
  }));
  // What the wall shows once it stands still, by what the show says of itself: what a snapshot
  // waits for, however soon it is asked for.
  const auto settled = [&] {
    const fs::path file = folder / "settled.png";
    CHECK(show.ctl({"snapshot", file.string()}).out ==
          "snapshot: frame 0 in " + file.string() + "\n");
    const ProgramResult status = show.ctl({"status", "--json"});
    const Json region = Json::parse(status.out).at("scene").at("regions").at(0).at("volume");
    Json style = region.at("style");
    style.erase("transfer");
    TestPicture picture = reference(camera_from_json(region.at("camera")), style);
    CHECK(same_pixels(read_png(file).view(), picture.view()));
    return picture;
  };
  std::vector<TestPicture> expected;
  const ProgramResult turned = show.ctl({"camera", "orbit", "70,-20,10", "--glide", "0.3"});
  CAPTURE(turned.err);
  REQUIRE(turned.exit_code == 0);
  expected.push_back(settled());
  const pid_t caster = pid_in(show.run_dir() / "pids" / "caster");
  REQUIRE(caster > 0);
  ::kill(caster, SIGKILL);
  REQUIRE(
      show.ctl({"style", "mode=average", "clip=0,1,0,1,0,0.5", "background=#402010"}).exit_code ==
      0);
  expected.push_back(settled());
  REQUIRE(show.ctl({"zoom", "1.4"}).exit_code == 0);
  expected.push_back(settled());
  CHECK(show.ctl({"style", "mode=foggy"}).exit_code == 2);
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    std::vector<std::string> shown;
    for (const ShownHash& one : shown_by(report, panel)) shown.push_back(one.hash);
    for (const TestPicture& picture : expected)
      CHECK(std::count(shown.begin(), shown.end(), hash_on_panel(picture, panel)) > 0);
  }
}

TEST_CASE("all panels of a host change their pictures of a volume in tiles at the same ticks",
          "[view]") {
  const TemporaryFolder folder;
  write_ball_pyramid(folder / "ball.zarr");
  std::ofstream(folder / "camera.toml") << "eye = [30, -60, 25]\nlook_at = [35, 31, 31]\n"
                                           "up = [0, 0, 1]\nfov_deg = 8\n";
  ControlledShow show(folder / "ball.zarr", "two-by-two.toml", {"--memory", "1"});
  REQUIRE(levels_become(show, [](int) { return true; }));
  REQUIRE(show.ctl({"camera", (folder / "camera.toml").string(), "--glide", "0"}).exit_code == 0);
  REQUIRE(levels_become(show, [](int level) { return level == 0; }));
  for (const char* mode : {"mode=maximum", "mode=average"}) {
    REQUIRE(show.ctl({"style", mode}).exit_code == 0);
    CHECK(levels_become(show, [](int level) { return level == 0; }));
  }
  const Json report = show.finish();
  const auto changes = changes_of(report, four_panels);
  for (const auto& one : changes) CHECK(one == changes[0]);
  // The first picture; and for each style a coarse one, its overview and its detail.
  CHECK(changes[0].size() >= 5);
}

TEST_CASE("all panels go from a volume's preview to all of its voxels at the same tick", "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  write_large_pyramid(folder / "large.zarr", 2);
  write_numbered_movie(folder / "movie", {32, 24}, 200);
  ControlledShow show(folder / "ball.npy", "two-by-two.toml",
                      {"--memory", "256", "--late", "drop"});
  REQUIRE(levels_become(show, [](int) { return true; }));
  // A movie in the corner of one panel, so that ticks go on.
  REQUIRE(show.ctl({"region", "add", "movie", (folder / "movie").string(), "--at", "0,0,32,24"})
              .exit_code == 0);
  REQUIRE(show.ctl({"open", (folder / "large.zarr").string()}).exit_code == 0);
  REQUIRE(eventually([&] {
    const Json status = Json::parse(show.ctl({"status", "--json"}).out);
    return std::ranges::all_of(status.at("per_panel"), [](const Json& panel) {
      const Json& volume = panel.at("volume");
      return volume.is_object() && volume.at("held_bytes") > 100'000'000 && volume.at("level") == 0;
    });
  }));
  // A snapshot is of a tick at which all of it is on the wall.
  REQUIRE(show.ctl({"snapshot", (folder / "whole.png").string()}).exit_code == 0);
  const auto changes = changes_of(show.finish(), {"c1r0", "c0r1", "c1r1"});
  for (const auto& one : changes) CHECK(one == changes[0]);
  CHECK(changes[0].size() >= 3);  // the ball, the preview, all voxels
}

TEST_CASE("a caster that dies again and again is left alone, and back for another style",
          "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  ControlledShow show(folder / "ball.npy", pair_wall);
  const auto status = [&] {
    return Json::parse(show.ctl({"status", "--json"}).out, nullptr, false);
  };
  REQUIRE(eventually([&] {
    const Json json = status();
    return json.is_object() && json.at("frames_shown") > 0;
  }));
  REQUIRE(show.ctl({"pause"}).exit_code == 0);  // a picture that stands is made once it can be
  const fs::path pid_file = show.run_dir() / "pids" / "caster";
  for (int death = 0; death < 5; ++death) {
    REQUIRE(eventually([&] { return is_alive(pid_in(pid_file)); }));
    const pid_t caster = pid_in(pid_file);
    ::kill(caster, SIGKILL);
    REQUIRE(eventually([&] { return !is_alive(caster); }));
  }
  const std::string expected = "a volume's caster died 5 times within 60 s, last by signal 9";
  REQUIRE(eventually([&] {
    return read_text_file(show.run_dir() / "logs" / "host.log", 1U << 20).find(expected) !=
           std::string::npos;
  }));
  REQUIRE(show.ctl({"style", "mode=maximum", "--glide", "0"}).exit_code == 0);
  REQUIRE(eventually([&] { return is_alive(pid_in(pid_file)); }));
  const Json region = status().at("scene").at("regions").at(0).at("volume");
  const TestPicture picture =
      reference(camera_from_json(region.at("camera")), {{"mode", "maximum"}});
  CHECK(eventually([&] {
    const Json panels = status().at("per_panel");
    return std::ranges::all_of(panels, [&](const Json& panel) {
      return panel.at("hash") == hash_on_panel(picture, panel.at("panel"));
    });
  }));
  for (const Json& panel : status().at("per_panel")) CHECK(panel.at("damaged_frames") <= 5);
  const Json report = show.finish();
  const std::string notes = report.at("notes").dump();
  CAPTURE(notes);
  CHECK(notes.find(expected) != std::string::npos);
  for (const std::string& panel : pair_panels)
    CHECK(shown_by(report, panel).back().hash == hash_on_panel(picture, panel));
}

TEST_CASE("keys and the pointer at a window turn, cut and restyle a volume", "[view][window]") {
  const auto server = Xvfb::start({400, 150}, 24);
  if (!server) {
    WARN("skipped: Xvfb is not installed or does not start");
    return;
  }
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  RunningProgram program(
      {tilewall_program, "view", (folder / "ball.npy").string(), "--wall", test_wall(pair_wall),
       "--presenter", "cpu", "--run-dir", (folder / "run").string()},
      ProgramOptions{{{"DISPLAY", server->display_name()}}, {}});
  Json volume;
  const auto comes = [&](const std::function<bool()>& what) {
    return eventually([&] {
      const ProgramResult status = run_program(
          {tilewall_program, "ctl", "status", "--json", "--run-dir", (folder / "run").string()});
      const Json json = Json::parse(status.out, nullptr, false);
      if (!json.is_object() || json.at("frames_shown") == 0) return false;
      volume = json.at("scene").at("regions").at(0).at("volume");
      return what();
    });
  };
  const auto press = [&](KeySym key) { server->press_key(server->window_at({10, 10}), key, 0); };
  REQUIRE(comes([&] { return volume.at("style").at("transfer") == "default"; }));
  const Json camera = volume.at("camera");
  press(XK_t);
  press(XK_F2);
  press(XK_v);
  CHECK(comes([&] {
    const Json& style = volume.at("style");
    return style.at("transfer") == "plasma" && style.at("clip_max").at(0) < 1 &&
           style.at("mode") == "maximum";
  }));
  server->move_pointer({100, 40});
  server->hold_button(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server->move_pointer({120, 30});
  server->release_button(2);
  CHECK(comes([&] { return volume.at("camera").at("look_at") != camera.at("look_at"); }));
  press(XK_z);
  CHECK(comes([&] { return volume.at("camera") == camera; }));
  press(XK_q);
  CHECK(program.wait(std::chrono::seconds(20)).exit_code == 0);
}
