// What a show's options make of it, without starting it.

#include "player/cli/play/play_options.hpp"

#include <catch2/catch.hpp>

#include "player/cli/play/default_wall.hpp"
#include "player/movie/codecs/png_writer.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::sync;

namespace {

/// A wall of two panels, and a folder of ten images of 8 x 4 pixels.
struct Inputs {
  const test::TemporaryFolder folder;
  const std::string wall = (folder / "wall.toml").string();

  Inputs() {
    write_file_atomically(wall, "columns = 2\nrows = 1\n[panels]\nsize_px = [100, 50]\n");
    std::filesystem::create_directory(folder / "images");
    const TestPicture picture({8, 4});
    for (int i = 0; i < 10; ++i)
      movie::write_snapshot(picture.view(),
                            folder / "images" / ("frame-" + std::to_string(i) + ".png"));
  }
  [[nodiscard]] PlayArguments arguments() const {
    PlayArguments arguments;
    arguments.inputs = {(folder / "images").string()};
    arguments.wall = wall;
    arguments.headless = true;
    return arguments;
  }
};

supervisor::SupervisorOptions options_of(const PlayArguments& arguments) {
  return supervisor_options(arguments, {});
}

/// The arguments after the program's name, parsed.
PlayArguments parsed(std::vector<std::string> words) {
  CLI::App app;
  PlayArguments arguments;
  static_cast<void>(add_play(app, arguments));
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
  app.parse(words);
  return arguments;
}

Timeline line_of(const PlayArguments& arguments) {
  return options_of(arguments).show.scene.regions.at(0).timeline;
}

}  // namespace

TEST_CASE("without options a show plays all frames once at their rate", "[cli]") {
  const Inputs inputs;
  const auto options = options_of(inputs.arguments());
  const scene::Scene& scene = options.show.scene;
  REQUIRE(scene.regions.size() == 1);
  const scene::Region& region = scene.regions[0];
  CHECK(region.source->frames == 10);
  CHECK(region.source->size_px == SizePx{8, 4});
  CHECK(region.canvas_px == RectF{0, 0, 200, 50});
  CHECK(region.timeline.rate_fps == region.source->fps);
  CHECK(region.timeline.first_frame == 0);
  CHECK(region.timeline.end_frame == 10);
  CHECK(region.timeline.start_frame == 0);
  CHECK(region.timeline.direction == 1);
  CHECK(region.timeline.loop == LoopMode::once);
  CHECK_FALSE(region.timeline.tick_limit);
  CHECK_FALSE(region.view);
  CHECK(region.speed == Rational{1, 1});
  CHECK(region.fit == scene::FitMode::contain);
  CHECK(scene.version == 1);
  CHECK(scene.epoch == 1);
  CHECK(scene.since == scene::never);
  CHECK(scene.hints);
  CHECK_FALSE(scene.overlay.shown);
  CHECK(options.show.late == scene::LatePolicy::drop);
  CHECK(options.show.pin);
  CHECK(options.show.vsync);
  CHECK_FALSE(options.show.stage_bytes);
  CHECK(options.show.headless);
  CHECK_FALSE(options.show.exit_at_end);
  CHECK(options.show.decode_threads >= 1);
}

TEST_CASE("rates and speeds are above 0 and at most 1000, speeds also backwards", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  arguments.fps = "12";
  arguments.speed = "-1/2";
  const Timeline line = line_of(arguments);
  CHECK(line.rate_fps == Rational{6, 1});
  CHECK(line.direction == -1);
  CHECK(line.start_frame == 9);
  CHECK(options_of(arguments).show.scene.regions[0].speed == Rational{1, 2});
  CHECK(options_of(arguments).show.scene.regions[0].base_fps == Rational{12, 1});
  arguments.speed = "1";
  arguments.fps = "1000";
  CHECK(line_of(arguments).rate_fps == Rational{1000, 1});
  for (const char* wrong : {"0", "-1", "1000.1", "x"}) {
    arguments.fps = wrong;
    CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("over 0 and at most 1000"));
  }
  arguments.fps = "";
  for (const char* wrong : {"0", "1000.1", "-1001", "x"}) {
    arguments.speed = wrong;
    CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("other than 0 and at most 1000"));
  }
}

TEST_CASE("a range is played from its first frame, or from the one that is asked for", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  arguments.range = "2-6";
  CHECK(line_of(arguments).first_frame == 2);
  CHECK(line_of(arguments).end_frame == 7);
  CHECK(line_of(arguments).start_frame == 2);
  for (const std::int64_t start : {2, 6}) {
    arguments.start = start;
    CHECK(line_of(arguments).start_frame == start);
  }
  for (const std::int64_t start : {1, 7}) {
    arguments.start = start;
    CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("a frame in [2, 6]"));
  }
  arguments.start.reset();
  arguments.frames = 3;
  CHECK(line_of(arguments).tick_limit == 3);
  arguments.frames = 0;
  arguments.range = "5-10";
  CHECK_THROWS_AS(options_of(arguments), InputError);
}

TEST_CASE("a show loops or goes to and fro, not both", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  arguments.loop = true;
  CHECK(line_of(arguments).loop == LoopMode::loop);
  arguments.ping_pong = true;
  CHECK_THROWS_AS(options_of(arguments), InputError);
  arguments.loop = false;
  CHECK(line_of(arguments).loop == LoopMode::ping_pong);
}

TEST_CASE("a view is a part of the movie that has a size", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  arguments.view = "2,1,4,2";
  CHECK(options_of(arguments).show.scene.regions[0].view->to_px == RectF{2, 1, 4, 2});
  for (const char* wrong :
       {"2,1,4", "2,1,0,2", "2,1,4,-2", "8,0,4,4", "0,4,4,4", "-4,0,4,4", "x"}) {
    CAPTURE(wrong);
    arguments.view = wrong;
    CHECK_THROWS_AS(options_of(arguments), InputError);
  }
}

TEST_CASE("snapshots are of frames that are played, in folders that exist", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  const std::string file = (inputs.folder / "shot.png").string();
  arguments.snapshots = {"0:" + file, "9:" + file};
  arguments.panel_snapshots = {"4:" + file};
  const auto snapshots = options_of(arguments).show.snapshots;
  REQUIRE(snapshots.size() == 3);
  CHECK(snapshots[1] == director::SnapshotRequest{9, file, false});
  CHECK(snapshots[2] == director::SnapshotRequest{4, file, true});
  arguments.panel_snapshots.clear();
  for (const std::string& wrong :
       {"10:" + file, "-1:" + file, "x:" + file, file, std::string("1:"), std::string("1:a.jpg"),
        "1:" + (inputs.folder / "none" / "shot.png").string()}) {
    CAPTURE(wrong);
    arguments.snapshots = {wrong};
    CHECK_THROWS_AS(options_of(arguments), InputError);
  }
  arguments.snapshots = {"7:" + file};
  arguments.range = "2-6";
  CHECK_THROWS_WITH(options_of(arguments),
                    Catch::Contains("a frame that is played: 2 to 6, found \"7\""));
  arguments.loop = true;
  arguments.frames = 30;
  CHECK_THROWS_WITH(options_of(arguments),
                    Catch::Contains("a frame that is played: 30 from 2 on, within 2 to 6"));
  arguments.range = "";
  CHECK_NOTHROW(options_of(arguments));
}

TEST_CASE("the help of a show names the key of hints", "[cli]") {
  CLI::App app;
  PlayArguments arguments;
  CHECK_THAT(add_play(app, arguments)->help(), Catch::Contains("(key y)"));
}

TEST_CASE("switches and sizes of a show", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  arguments.stage = "0";
  CHECK(options_of(arguments).show.stage_bytes == std::size_t{0});
  arguments.stage = "65536";
  CHECK(options_of(arguments).show.stage_bytes == std::size_t{65536} << 20);
  for (const char* wrong : {"-1", "65537", "x", "", "1.5"}) {
    arguments.stage = wrong;
    CHECK_THROWS_WITH(options_of(arguments),
                      Catch::Contains("a whole number of MiB in [0, 65536]"));
  }
  arguments.stage.reset();
  arguments.pin = "off";
  arguments.vsync = "off";
  arguments.late = "lower";
  arguments.hints = "off";
  arguments.overlay = arguments.exit_at_end = arguments.hashes = true;
  const auto options = options_of(arguments);
  CHECK_FALSE(options.show.pin);
  CHECK_FALSE(options.show.vsync);
  CHECK(options.show.late == scene::LatePolicy::lower);
  CHECK_FALSE(options.show.scene.hints);
  CHECK(options.show.scene.overlay.shown);
  CHECK(options.show.exit_at_end);
  CHECK(options.show.hashes);
  CHECK_FALSE(options.show.strict);
  arguments.strict = true;
  CHECK(options_of(arguments).show.strict);
  arguments.place = {"c0r0=node:0"};
  CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("no --pin off beside it"));
}

TEST_CASE("each switch that is typed sets its own field", "[cli]") {
  struct Switch {
    std::string word;
    bool PlayArguments::*field;
  };
  const Switch switches[] = {
      {"--headless", &PlayArguments::headless}, {"--exit-at-end", &PlayArguments::exit_at_end},
      {"--slate", &PlayArguments::slate},       {"--strict", &PlayArguments::strict},
      {"--hashes", &PlayArguments::hashes},     {"--overlay", &PlayArguments::overlay},
      {"--json", &PlayArguments::json},         {"--local", &PlayArguments::local},
      {"--loop", &PlayArguments::loop},         {"--ping-pong", &PlayArguments::ping_pong}};
  for (const Switch& typed : switches) {
    const PlayArguments arguments = parsed({"play", "pattern:count", typed.word});
    for (const Switch& one : switches) {
      CAPTURE(typed.word, one.word);
      CHECK(arguments.*one.field == (one.word == typed.word));
    }
  }
}

TEST_CASE("a show may be strict, and ends after any part of a second", "[cli]") {
  CHECK_FALSE(parsed({"play", "pattern:count"}).strict);
  CHECK(parsed({"play", "pattern:count", "--strict"}).strict);
  CHECK(parsed({"play", "pattern:count"}).seconds == 0);
  for (const char* const seconds : {"0", "0.25", "1", "10000000"})
    CHECK(parsed({"play", "pattern:count", "--seconds", seconds}).seconds == std::stod(seconds));
  for (const char* const seconds : {"-0.25", "10000001", "soon"})
    CHECK_THROWS_AS(parsed({"play", "pattern:count", "--seconds", seconds}), CLI::ParseError);
}

TEST_CASE("options that volumes and two inputs need are refused without them", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  arguments.compare = "swipe";
  CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("two inputs"));
  arguments.compare = "";
  arguments.gain = "2";
  CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("--compare difference beside it"));
  arguments.gain = "";
  arguments.volume_host.memory_mib = 5;
  CHECK_THROWS_WITH(options_of(arguments),
                    Catch::Contains("--memory") && Catch::Contains("a volume among the inputs"));
  arguments.volume_host.memory_mib.reset();
  arguments.volume_host.caster = "cpu";
  CHECK_THROWS_WITH(options_of(arguments), Catch::Contains("--caster"));
}

TEST_CASE("two movies are compared over the frames that both have", "[cli]") {
  const Inputs inputs;
  PlayArguments arguments = inputs.arguments();
  std::filesystem::create_directory(inputs.folder / "fewer");
  for (int i = 0; i < 6; ++i)
    std::filesystem::copy(inputs.folder / "images" / ("frame-" + std::to_string(i) + ".png"),
                          inputs.folder / "fewer");
  arguments.inputs.push_back((inputs.folder / "fewer").string());
  arguments.compare = "difference";
  arguments.gain = "4";
  const scene::Scene scene = options_of(arguments).show.scene;
  REQUIRE(scene.regions.size() == 2);
  CHECK(scene.regions[0].timeline.end_frame == 6);
  CHECK(scene.regions[1].timeline.end_frame == 6);
  CHECK(scene.regions[1].difference_gain == 4);
  CHECK(scene.version == 1);
  CHECK(scene.epoch == 1);
  for (const char* wrong : {"0.5", "256", "x"}) {
    arguments.gain = wrong;
    CHECK_THROWS_AS(options_of(arguments), InputError);
  }
}

TEST_CASE("a local show leaves other machines and their displays out", "[cli]") {
  const Inputs inputs;
  write_file_atomically(inputs.wall,
                        "columns = 2\nrows = 1\nclock_address = \"far:1\"\n[panels]\n"
                        "size_px = [100, 50]\n[[panel]]\nname = \"c0r0\"\nhost = \"far\"\n"
                        "display = \":3\"\n[[panel]]\nname = \"c1r0\"\ndisplay = \":1\"\n");
  PlayArguments arguments = inputs.arguments();
  CHECK(options_of(arguments).show.wall.panels[0].host == "far");
  arguments.local = true;
  const auto options = options_of(arguments);
  CHECK(options.local);
  CHECK(options.show.wall.hosts.empty());
  CHECK(options.show.wall.clock_address.empty());
  CHECK(options.show.wall.panels[0].host.empty());
  CHECK(options.show.wall.panels[0].display.empty());
  CHECK(options.show.wall.panels[1].display == ":1");  // it was this machine's before
}

TEST_CASE("the work area is the current desktop's, where that is on the screen", "[cli]") {
  const SizePx screen{1920, 1080};
  const std::vector<long> areas = {0, 0, 1920, 1050, 0, 30, 1900, 1050};
  CHECK(work_area_of(areas, {0}, screen) == RectPx{0, 0, 1920, 1050});
  CHECK(work_area_of(areas, {1}, screen) == RectPx{0, 30, 1900, 1050});
  CHECK(work_area_of(areas, {}, screen) == RectPx{0, 0, 1920, 1050});
  CHECK(work_area_of(areas, {-1}, screen) == RectPx{0, 0, 1920, 1050});
  CHECK_FALSE(work_area_of(areas, {2}, screen));
  CHECK_FALSE(work_area_of({0, 0, 1920}, {0}, screen));
  for (const std::vector<long>& wrong : {std::vector<long>{-1, 0, 100, 100},
                                         {0, -1, 100, 100},
                                         {0, 0, 0, 100},
                                         {0, 0, 100, 0},
                                         {1, 0, 1920, 100},
                                         {0, 1, 100, 1080}}) {
    CAPTURE(wrong);
    CHECK_FALSE(work_area_of(wrong, {0}, screen));
  }
  CHECK(work_area_of({1, 1, 1919, 1079}, {0}, screen) == RectPx{1, 1, 1919, 1079});
}
