// Snapshots on demand, and shows that begin as comparisons or with a range.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr SizePx panel_px = pair_panel_px;
constexpr int snapshot_frames = 12;

std::vector<std::int64_t> frames_of(const Show& show) {
  std::vector<std::int64_t> numbers;
  for (const ShownHash& shown : shown_by(show.report, "c0r0")) numbers.push_back(shown.frame);
  return numbers;
}

}  // namespace

TEST_CASE("a snapshot is what all panels show at one tick, playing and paused", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, snapshot_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml",
                      {"--snapshot-folder", folder.path().string()});
  WallClient client(show.run_dir());
  const auto check_snapshot = [&](const std::string& name) {
    const std::string file = (folder / name).string();
    const Json answer = client.ask({{"type", "snapshot"}, {"file", file}});
    CAPTURE(answer.dump());
    REQUIRE(answer.at("type") == "done");
    CHECK(answer.at("file") == file);
    CHECK(!answer.contains("note"));
    CHECK(answer.contains("tick"));
    CHECK(same_pixels(read_png(file).view(),
                      numbered_picture(pair_canvas_px, answer.at("frame")).view()));
    return answer.at("frame").get<std::int64_t>();
  };
  check_snapshot("playing.png");
  REQUIRE(client.ask({{"type", "pause"}}).at("type") == "done");
  REQUIRE(client.ask({{"type", "seek"}, {"frame", 7}}).at("type") == "done");
  CHECK(check_snapshot("paused.png") == 7);
  for (const std::string& file : {(folder / "no" / "folder.png").string(),
                                  (folder / "picture.jpg").string(), std::string("relative.png")})
    CHECK(client.ask({{"type", "snapshot"}, {"file", file}}).at("type") == "refused");
  const ProgramResult typed = show.ctl({"snapshot", (folder / "typed.png").string()});
  CHECK(typed.exit_code == 0);
  CHECK(typed.out == "snapshot: frame 7 in " + (folder / "typed.png").string() + "\n");
  const ProgramResult other_format = show.ctl({"snapshot", "typed.gif"});
  CHECK(other_format.exit_code == 2);
  CHECK(other_format.err ==
        "tilewall: ctl snapshot: expected a file that ends in .png, found \"typed.gif\"\n");
}

TEST_CASE("programs save snapshots below the show's folder alone, and ctl as its own user",
          "[control]") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  fs::create_directories(folder / "pictures" / "today");
  write_numbered_movie(folder / "movie", pair_canvas_px, snapshot_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml",
                      {"--snapshot-folder", (folder / "pictures").string()});
  WallClient client(show.run_dir());
  const auto saved = [&](const fs::path& file) {
    return client.ask({{"type", "snapshot"}, {"file", file.string()}}).at("type") == "done";
  };
  const fs::path old = folder / "pictures" / "today" / "old.png";
  std::ofstream(old) << "old";
  fs::permissions(old, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const fs::perms mode = fs::status(old).permissions();
  CHECK(saved(old));
  CHECK(fs::status(old).permissions() == mode);
  CHECK(read_png(old).view().size_px == pair_canvas_px);

  // A link is replaced, and one that leads out of the folder is not followed.
  std::ofstream(elsewhere / "precious.png") << "precious";
  fs::create_symlink(elsewhere / "precious.png", folder / "pictures" / "link.png");
  CHECK(saved(folder / "pictures" / "link.png"));
  CHECK_FALSE(fs::is_symlink(folder / "pictures" / "link.png"));
  CHECK(read_text_file(elsewhere / "precious.png", 100) == "precious");
  fs::create_directory_symlink(elsewhere.path(), folder / "pictures" / "out");
  for (const fs::path& file :
       {elsewhere / "new.png", folder / "beside.png", folder / "pictures" / "out" / "new.png",
        folder / "pictures" / ".." / "beside.png"}) {
    CAPTURE(file);
    CHECK_FALSE(saved(file));
  }
  CHECK_FALSE(fs::exists(elsewhere / "new.png"));
  CHECK_FALSE(fs::exists(folder / "beside.png"));

  const ProgramResult typed = show.ctl({"snapshot", (elsewhere / "new.png").string()});
  CHECK(typed.exit_code == 0);
  CHECK_THAT(typed.out, Catch::Contains(" in " + (elsewhere / "new.png").string() + "\n"));
  CHECK(read_png(elsewhere / "new.png").view().size_px == pair_canvas_px);
  for (const auto& entry : fs::directory_iterator(show.run_dir()))
    CHECK(entry.path().extension() != ".png");
  CHECK(show.ctl({"snapshot", (elsewhere / "no" / "new.png").string()}).err ==
        "tilewall: ctl snapshot: expected a file in a folder that exists, found \"" +
            (elsewhere / "no" / "new.png").string() + "\"\n");
}

TEST_CASE("play --compare begins with two movies in step", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "left", panel_px, snapshot_frames);
  write_numbered_movie(folder / "right", panel_px, snapshot_frames - 4);
  const Show show = play_show(folder / "left", "two-by-one.toml",
                              {(folder / "right").string(), "--compare", "side_by_side"});
  REQUIRE(show.program.exit_code == 0);
  for (const std::string& panel : pair_panels) {
    const auto shown = shown_by(show.report, panel);
    REQUIRE(shown.size() == snapshot_frames - 4);  // what both have
    for (std::size_t i = 0; i < shown.size(); ++i)
      CHECK(shown[i] == ShownHash{static_cast<std::int64_t>(i),
                                  hex(hash_of(numbered_picture(panel_px, static_cast<int>(i))))});
  }
}

TEST_CASE("play --range plays these frames only, --ping-pong to and fro", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, snapshot_frames);
  const auto played = [&](Words more) {
    return frames_of(play_show(folder / "movie", "two-by-one.toml", more));
  };
  CHECK(played({"--range", "3-5"}) == std::vector<std::int64_t>{3, 4, 5});
  CHECK(played({"--range", "9-"}) == std::vector<std::int64_t>{9, 10, 11});
  CHECK(played({"--range", "3-5", "--ping-pong", "--frames", "6"}) ==
        std::vector<std::int64_t>{3, 4, 5, 4, 3, 4});
  CHECK(played({"--range", "3-5", "--speed", "-1"}) == std::vector<std::int64_t>{5, 4, 3});
}

TEST_CASE("ranges and comparisons that cannot be are refused", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, snapshot_frames);
  const auto refusal = [&](Words more) {
    const Show show = play_show(folder / "movie", "two-by-one.toml", more);
    CHECK(show.program.exit_code == 2);
    return show.program.err;
  };
  for (const std::string range : {"12", "12-", "5-3", "-1-3", "3-12", "a-b", "3-5x"})
    CHECK(refusal({"--range=" + range}) ==
          "tilewall: --range: expected A-B, A-, -B or N, frames of 0 to 11, found \"" + range +
              "\"\n");
  CHECK(refusal({"--compare", "swipe"}) ==
        "tilewall: --compare: expected two inputs, found \"1\"\n");
  CHECK(refusal({(folder / "movie").string(), "--compare", "blink"}).find("tilewall: --compare") ==
        0);
  CHECK(refusal({"--loop", "--ping-pong"}).find("tilewall: --ping-pong") == 0);
  CHECK(refusal({"--range", "3-5", "--start", "2"}) ==
        "tilewall: --start: expected a frame in [3, 5], found \"2\"\n");
}
