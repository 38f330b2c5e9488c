// tilewall path: what users type, and what they get.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "player/path/path_file.hpp"
#include "player/scene/path_messages.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "tests/integration/ball_volume.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

ProgramResult run_path(const std::vector<std::string>& words) {
  std::vector<std::string> command = {program_path("tilewall"), "path"};
  command.insert(command.end(), words.begin(), words.end());
  return run_program(command);
}

}  // namespace

TEST_CASE("a path is described, drawn, and converted there and back", "[path]") {
  const TemporaryFolder folder;
  const std::string example = source_path("player/examples/flight.toml");
  const auto file = [&](const char* name) { return (folder / name).string(); };
  // A volume of 2 x 2 x 2 voxels around "nearer".
  std::ofstream(folder / "v.nrrd")
      << "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nspacings: 400 400 400\n"
      << "encoding: raw\n\n12345678";
  const ProgramResult checked =
      run_path({"check", example, "--json", "--svg", file("a.svg"), "--volume", file("v.nrrd")});
  CAPTURE(checked.err);
  REQUIRE(checked.exit_code == 0);
  const auto report = nlohmann::json::parse(checked.out);
  CHECK(report.at("duration_s") == 20.0);
  CHECK(report.at("keys").size() == 4);
  CHECK(report.at("keys")[2].at("inside") == true);
  CHECK(report.at("keys")[0].at("inside") == false);
  CHECK(read_text_file(folder / "a.svg", 1 << 20).starts_with("<svg"));
  REQUIRE(run_path({"convert", example, "-o", file("b.json"), "--fps", "10"}).exit_code == 0);
  const ProgramResult back = run_path({"convert", file("b.json"), "-o", file("c.toml")});
  CHECK(back.out == file("c.toml") + ": 6 keys, 20.00 s\n");
  const ProgramResult again = run_path({"convert", file("b.json"), "-o", file("c.toml")});
  CHECK(again.exit_code == 2);
  CHECK(again.err ==
        "tilewall: --output: expected a file that is not there yet (or --overwrite), "
        "found " +
            file("c.toml") + "\n");
  CHECK(run_path({"convert", file("b.json"), "-o", file("c.toml"), "--overwrite"}).exit_code == 0);
}

TEST_CASE("keys are taken from a running wall, and shown on it", "[path]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  const auto file = (folder / "path.toml").string();
  const ControlledShow show(folder / "ball.npy", pair_wall);
  const auto keyframe = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {program_path("tilewall"), "ctl", "--run-dir",
                                 show.run_dir().string(), "keyframe"});
    return run_program(words);
  };
  REQUIRE(eventually([&] { return show.ctl({"status"}).exit_code == 0; }));
  REQUIRE(keyframe({"add", file, "--name", "start"}).exit_code == 0);
  REQUIRE(show.ctl({"camera", "orbit", "40,10,0"}).exit_code == 0);
  REQUIRE(show.ctl({"style", "tf=magma", "clip=0,0.5,0,1,0,1", "--glide", "0"}).exit_code == 0);
  const auto clip = [&] {
    const auto status = nlohmann::json::parse(show.ctl({"status", "--json"}).out);
    return status.at("scene").at("regions")[0].at("volume").at("style").at("clip_max")[0];
  };
  CHECK(eventually([&] { return clip() == 0.5; }));
  REQUIRE(keyframe({"add", file, "--time", "1"}).exit_code == 0);
  CHECK(keyframe({"list", file}).out.find("; tf=magma clip=0,0.5,0,1,0,1\n") != std::string::npos);
  CHECK(keyframe({"list", file}).out.find("start: eye") != std::string::npos);
  const auto eye = [&] {
    const auto status = nlohmann::json::parse(show.ctl({"status", "--json"}).out);
    return status.at("scene").at("regions")[0].at("volume").at("camera").at("eye");
  };
  const auto turned = eye();
  CHECK(keyframe({"goto", file, "start"}).exit_code == 0);
  CHECK(eye() != turned);
  CHECK(eventually([&] { return clip() == 1; }));
  CHECK(keyframe({"preview", file}).exit_code == 0);
  CHECK(eventually([&] { return clip() == 0.5; }));
  // What panels have swapped follows the scene a little later.
  CHECK(eventually([&] {
    const auto here = eye();
    return std::ranges::equal(here, turned, [](const auto& a, const auto& b) {
      return std::abs(a.template get<double>() - b.template get<double>()) < 1e-4;
    });
  }));
  CHECK(run_path({"check", file}).exit_code == 0);
  std::filesystem::create_directory(folder / "copies");
  const auto copy = (folder / "copies" / "copy.toml").string();
  CHECK(keyframe({"save", file, copy}).out == "keyframe: 2 keys in " + copy + "\n");
  CHECK(read_text_file(copy, 1 << 20).find("volume = [\"../ball.npy\"]\n") != std::string::npos);
  CHECK(keyframe({"list", copy}).out == keyframe({"list", file}).out);
  const ProgramResult no_file = keyframe({"save", file, "/dev/null"});
  CHECK(no_file.exit_code == 2);
  CHECK(no_file.err ==
        "tilewall: /dev/null: expected a new file, or a regular one to replace, found another\n");
  REQUIRE(keyframe({"retime", copy, "2", "none"}).exit_code == 0);
  CHECK(keyframe({"move", copy, "2", "start"}).exit_code == 0);
  CHECK(keyframe({"list", copy}).out.find("   2  start: eye") != std::string::npos);
  const ProgramResult none = keyframe({"goto", file, "end"});
  CHECK(none.exit_code == 2);
  CHECK(none.err == "tilewall: " + file +
                        ": expected the name of a key, or a number from 1 to 2, "
                        "found \"end\"\n");
}

TEST_CASE("the keys e and shift e keep a flight path of what view shows", "[path]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  const auto file = (folder / "kept.toml").string();
  const auto run_dir = (folder / "run").string();
  RunningProgram show({program_path("tilewall"), "view", (folder / "ball.npy").string(), "--wall",
                       test_wall(pair_wall), "--headless", "--loop", "--tf", "magma", "--run-dir",
                       run_dir, "--keyframes", file});
  const auto ctl = [&](std::vector<std::string> words, bool asks_wall = true) {
    words.insert(words.begin(), {program_path("tilewall"), "ctl"});
    if (asks_wall) words.insert(words.end(), {"--run-dir", run_dir});
    return run_program(words).exit_code;
  };
  const auto keys = [&] {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored) ? path::read_path_draft(file).keys.size() : 0;
  };
  REQUIRE(eventually([&] { return ctl({"key", "add_keyframe"}) == 0; }));
  REQUIRE(eventually([&] { return keys() == 1; }));
  REQUIRE(ctl({"camera", "orbit", "90,0,0"}) == 0);
  REQUIRE(ctl({"key", "add_keyframe"}) == 0);
  REQUIRE(eventually([&] { return keys() == 2; }));
  const auto first = path::read_path_draft(file).keys[0].flight.camera;
  REQUIRE(ctl({"key", "remove_keyframe"}) == 0);
  REQUIRE(eventually([&] { return keys() == 1; }));
  const path::PathFile left = path::read_path_draft(file);
  CHECK(left.keys[0].flight.camera.eye == first.eye);
  CHECK(left.keys[0].style[0] == path::StyleWord{"tf", "magma"});
  CHECK(left.volume == std::vector<std::string>{(folder / "ball.npy").string()});
  // A path of one key cannot be flown; the console gets the same line as the terminal.
  const auto kept = [&] {
    return scene::kept_path_from_json(
        parse_json(read_text_file(folder / "run" / scene::kept_path_file, 1 << 16)));
  };
  CHECK(eventually([&] { return kept().answer == "keyframe: 1 left in " + file; }));
  REQUIRE(ctl({"key", "preview_path"}) == 0);
  REQUIRE(eventually([&] { return kept().has_failed; }));
  CHECK(kept().answer == "preview: " + file + ":4: key: expected 2 to 10000 keys, found 1");
  REQUIRE(ctl({"camera", "orbit", "90,0,0"}) == 0);
  REQUIRE(ctl({"key", "add_keyframe"}) == 0);
  REQUIRE(eventually([&] { return keys() == 2; }));
  REQUIRE(ctl({"keyframe", "retime", file, "2", "600"}, false) == 0);
  REQUIRE(ctl({"key", "preview_path"}) == 0);
  REQUIRE(eventually([&] { return kept().is_previewed; }));
  REQUIRE(ctl({"key", "stop_preview"}) == 0);
  REQUIRE(eventually([&] { return !kept().is_previewed; }));
  CHECK(kept().answer == "preview: stopped");
  CHECK_FALSE(kept().has_failed);
  REQUIRE(ctl({"quit"}) == 0);
  const ProgramResult ended = show.wait(std::chrono::seconds(20));
  CHECK(ended.err.find("keyframe: number 2 in " + file) != std::string::npos);
  CHECK(ended.err.find("keyframe: 1 left in " + file) != std::string::npos);
  CHECK(ended.err.find("preview: stopped") != std::string::npos);
}

TEST_CASE("a path that cannot be read is refused in one line", "[path][bad-input]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  std::ofstream(file) << "[[key]]\neye = [1, 0, 0]\nlook_at = [0, 0, 0]\n";
  const ProgramResult one = run_path({"check", file});
  CHECK(one.exit_code == 2);
  CHECK(one.err == "tilewall: " + file + ":1: key: expected 2 to 10000 keys, found 1\n");
  CHECK(run_path({"check", (folder / "none.toml").string()}).exit_code == 2);
  CHECK(run_path({"check", (folder / "path.txt").string()}).err ==
        "tilewall: " + (folder / "path.txt").string() +
            ": expected a path that ends in .toml, .json, .csv or .pvcc, found .txt\n");
  const ProgramResult fps = run_path({"convert", file, "-o", file, "--fps", "0"});
  CHECK(fps.err == "tilewall: --fps: expected over 0, to 1000, found 0\n");
}
