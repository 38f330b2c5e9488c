// `tilewall ctl keyframe`: the keys of a path's file, and what a wall is asked for them.

#include "player/cli/ctl/path_keys.hpp"

#include <catch2/catch.hpp>
#include <future>

#include "net/control/control_place.hpp"
#include "player/cli/options/path_styles.hpp"
#include "player/path/path_file.hpp"
#include "player/scene/volume_style.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/private_files.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

constexpr const char* three_keys =
    "[[key]]\nname = \"start\"\neye = [3, 0, 0]\nlook_at = [0, 0, 0]\nup = [0, 0, 1]\ntime_s = 0\n"
    "[[key]]\neye = [0, 3, 0]\nlook_at = [0, 0, 0]\nup = [0, 0, 1]\ntime_s = 4\n"
    "[[key]]\nname = \"end\"\neye = [0, 0, 3]\nlook_at = [0, 0, 0]\nup = [0, 1, 0]\ntime_s = 6\n";

/// A folder with a path of three keys, and a wall that the test plays.
class KeyCommands {
 public:
  KeyCommands() {
    write_file_atomically(file(), three_keys);
    write_private_file(folder_ / net::control_secret_file, "a secret of sixteen bytes or more");
    director_.emplace(net::ControlPlace(folder_.path()).key());
    write_file_atomically(folder_ / net::control_address_file, director_->address() + "\n");
  }
  [[nodiscard]] std::string file() const { return (folder_ / "flight.toml").string(); }
  [[nodiscard]] std::string other(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string run_dir() const { return folder_.path().string(); }

  /// Runs `keyframe` with these words; returns the line of a refusal, or "".
  std::string run(std::vector<std::string> words) {
    CLI::App app;
    command::CommandRun made;
    add_key_commands(app, made, std::make_shared<CtlArguments>());
    words.insert(words.begin(), "keyframe");
    std::reverse(words.begin(), words.end());
    app.parse(words);
    try {
      const int code = made();
      CHECK(code == exit_done);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] path::PathFile path() const { return path::read_path_draft(file()); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const path::PathKey& key : path().keys) all.push_back(key.name);
    return all;
  }

  /// Runs on the wall, whose only region is this one; `asked` gets the requests behind the status.
  std::string run_on_wall(std::vector<std::string> words, const Json& region,
                          const std::vector<std::string>& types, std::vector<Json>& asked) {
    words.insert(words.end(), {"--run-dir", run_dir()});
    auto wall = std::async(std::launch::async, [&] {
      director_->accept();
      Json request = director_->next("status");
      director_->send(
          {{"type", "status"}, {"id", request.at("id")}, {"scene", {{"regions", {region}}}}});
      for (const std::string& type : types) {
        request = director_->next(type);
        director_->send({{"type", "done"}, {"id", request.at("id")}});
        asked.push_back(request);
      }
    });
    const std::string refused = run(words);
    wall.get();
    return refused;
  }

 private:
  const TemporaryFolder folder_;
  std::optional<ListeningDirector> director_;
};

/// A region with a volume that is seen from (1, 2, 30).
Json volume_region() {
  render::VolumeCamera camera;
  camera.eye = {1, 2, 30};
  camera.look_at = {0, 0, 0};
  camera.up = {0, 1, 0};
  return {
      {"region", "main"},
      {"frames", 1},
      {"frame", 0},
      {"path", "/data/jet.nc"},
      {"volume", {{"camera", scene::to_json(camera)}, {"style", scene::to_json(*plain_style())}}}};
}

}  // namespace

TEST_CASE("keys of a path are moved and timed by name or number", "[ctl]") {
  KeyCommands commands;
  CHECK(commands.run({"retime", commands.file(), "end", "9.5"}).empty());
  CHECK(commands.path().keys[2].flight.time_s == 9.5);
  CHECK(commands.run({"retime", commands.file(), "2", "none"}).empty());
  CHECK_FALSE(commands.path().keys[1].flight.time_s);
  CHECK(commands.run({"retime", commands.file(), "end", "86400"}).empty());
  const std::string expected =
      "ctl keyframe retime: expected seconds from 0 to a day, or none, found ";
  CHECK(commands.run({"retime", commands.file(), "end", "86401"}) == expected + "\"86401\"");
  CHECK(commands.run({"retime", commands.file(), "end", "--", "-1"}) == expected + "\"-1\"");
  CHECK(commands.run({"retime", commands.file(), "end", "soon"})
            .starts_with("ctl keyframe retime: expected a number"));
  CHECK(commands.run({"retime", commands.file(), "start", "none"}).empty());
  CHECK(commands.run({"retime", commands.file(), "end", "none"}).empty());
  CHECK(commands.run({"move", commands.file(), "end", "1"}).empty());
  CHECK(commands.names() == std::vector<std::string>{"end", "start", ""});
}

TEST_CASE("a key of a path is removed by name, by number, or by the wall's view", "[ctl]") {
  KeyCommands commands;
  CHECK(commands.run({"remove", commands.file()}) ==
        "ctl keyframe remove: expected a key or --nearest, found nothing");
  CHECK(commands.run({"remove", commands.file(), "1", "--nearest"}) ==
        "ctl keyframe remove: expected a key or --nearest, found \"1 --nearest\"");
  std::vector<Json> asked;
  CHECK(commands.run_on_wall({"remove", commands.file(), "--nearest"}, volume_region(), {}, asked)
            .empty());
  CHECK(commands.names() == std::vector<std::string>{"start", ""});  // The key with z = 3 is gone.
  CHECK(commands.run({"remove", commands.file(), "1"}).empty());
  CHECK(commands.names() == std::vector<std::string>{""});
  CHECK_FALSE(commands.run({"remove", commands.file(), "start"}).empty());
}

TEST_CASE("a copy of a path finds the files that the path names", "[ctl]") {
  KeyCommands commands;
  write_file_atomically(commands.other("jet.nc"), "");
  write_file_atomically(commands.other("own.toml"), "");
  std::filesystem::create_directory(commands.other("copies"));
  write_file_atomically(commands.file(), "volume = [\"jet.nc\", \"tilewall://h/jet\"]\n" +
                                             std::string(three_keys) + "tf = \"own.toml\"\n");
  const std::string copy = commands.other("copies/copy.toml");
  CHECK(commands.run({"save", commands.file(), copy}).empty());
  const std::string text = read_text_file(copy, 10000);
  CHECK_THAT(text, Catch::Contains("\"../jet.nc\""));
  CHECK_THAT(text, Catch::Contains("\"tilewall://h/jet\""));
  CHECK_THAT(text, Catch::Contains("\"../own.toml\""));
  CHECK(path::read_path_draft(copy).keys.size() == 3);
  CHECK(commands.run({"save", commands.file(), commands.other("copies")}) ==
        commands.other("copies") +
            ": expected a new file, or a regular one to replace, found another");
}

TEST_CASE("what a wall shows becomes the last key of a path", "[ctl]") {
  KeyCommands commands;
  std::vector<Json> asked;
  CHECK(commands
            .run_on_wall({"add", commands.file(), "--name", "here", "--time", "9", "--hold", "2"},
                         volume_region(), {}, asked)
            .empty());
  REQUIRE(commands.path().keys.size() == 4);
  path::PathKey key = commands.path().keys[3];
  CHECK(key.name == "here");
  CHECK(key.flight.camera.eye == Vec3d{1, 2, 30});
  CHECK(key.flight.time_s == 9.0);
  CHECK(key.flight.hold_s == 2);
  CHECK_FALSE(key.timestep);  // it is no series

  Json series = volume_region();
  series["frames"] = 10;
  series["frame"] = 7;
  CHECK(commands.run_on_wall({"add", commands.file()}, series, {}, asked).empty());
  CHECK(commands.path().keys[4].timestep == 7.0);
  CHECK(
      commands.run_on_wall({"add", commands.file(), "--timestep", "3"}, series, {}, asked).empty());
  CHECK(commands.path().keys[5].timestep == 3.0);

  // A new path names the volume, unless that is a series or a simulation.
  const auto volume_of = [&](const std::string& name, const Json& region) {
    CHECK(commands.run_on_wall({"add", commands.other(name)}, region, {}, asked).empty());
    return path::read_path_draft(commands.other(name)).volume;
  };
  CHECK(volume_of("a.toml", volume_region()) == std::vector<std::string>{"/data/jet.nc"});
  CHECK(volume_of("b.toml", series).empty());
  Json live = volume_region();
  live["path"] = "live:gs";
  CHECK(volume_of("c.toml", live).empty());
}

TEST_CASE("a key of a path is shown on the wall, at once or gliding", "[ctl]") {
  KeyCommands commands;
  std::vector<Json> asked;
  CHECK(commands.run_on_wall({"goto", commands.file(), "end"}, volume_region(), {"camera"}, asked)
            .empty());
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].at("camera").at("eye") == Json{0.0, 0.0, 3.0});
  CHECK_FALSE(asked[0].contains("glide_s"));
  write_file_atomically(commands.file(), std::string(three_keys) + "opacity = 3\n");
  CHECK(commands
            .run_on_wall({"goto", commands.file(), "3", "--glide", "1.5"}, volume_region(),
                         {"camera", "style"}, asked)
            .empty());
  REQUIRE(asked.size() == 3);
  CHECK(asked[1].at("glide_s") == 1.5);
  CHECK(asked[2].at("change") == Json{{"opacity", 3.0}});
  CHECK(asked[2].at("glide_s") == 1.5);
}

TEST_CASE("a preview flies forwards alone", "[ctl]") {
  KeyCommands commands;
  CHECK(commands.run({"preview", commands.file(), "--from", "end", "--to", "start", "--run-dir",
                      commands.run_dir()}) ==
        "ctl keyframe preview: expected a key of --to behind that of --from, found \"start\"");
  CHECK_FALSE(commands.run({"preview", commands.file(), "--from", "2", "--to", "2"}).empty());
}
