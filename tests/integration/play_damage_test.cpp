// A movie with damaged frames plays on: the last good picture stays where there is no new one.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "player/movie/frames/manifest.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx wall_px = {320, 192};
constexpr SizePx panel_px = {160, 96};

void overwrite_middle(const fs::path& file) {
  const auto bytes = static_cast<std::streamoff>(fs::file_size(file));
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(bytes / 2);
  stream << std::string(static_cast<std::size_t>(bytes / 10), '\x5a');
}

struct PixelSources {
  int now = 0;     ///< pixels of the frame itself
  int before = 0;  ///< Frame of the one before
  int other = 0;
};

PixelSources sources_of(const TestPicture& shown, std::int64_t frame) {
  const TestPicture now = numbered_picture(wall_px, frame);
  const TestPicture before = numbered_picture(wall_px, frame - 1);
  PixelSources count;
  const auto same = [](const std::uint8_t* a, const std::uint8_t* b) {
    return std::equal(a, a + 3, b);
  };
  for (int y = 0; y < wall_px.height; ++y)
    for (int x = 0; x < wall_px.width; ++x) {
      const std::uint8_t* pixel = shown.view().pixel(x, y);
      if (same(pixel, now.view().pixel(x, y)))
        ++count.now;
      else
        ++(same(pixel, before.view().pixel(x, y)) ? count.before : count.other);
    }
  return count;
}

}  // namespace

TEST_CASE("a damaged, a truncated and a missing frame keep the last good picture", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  write_numbered_movie(movie, wall_px, 12);
  overwrite_middle(movie / frame_file_name(4));
  fs::resize_file(movie / frame_file_name(6), 100);
  fs::remove(movie / frame_file_name(9));
  const std::string file = (folder / "wall.png").string();
  const Show show = play_show(movie, "two-by-two.toml", {"--snapshot", "4:" + file});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == 12);

  const PixelSources pixels = sources_of(read_png(file), 4);
  CHECK(pixels.other == 0);
  CHECK(pixels.now > 0);
  CHECK(pixels.before > 0);
  std::int64_t damaged_blocks = 0;
  for (const auto& [panel, at] : {std::pair<const char*, PointPx>{"c0r0", {0, 0}},
                                  {"c1r0", {160, 0}},
                                  {"c0r1", {0, 96}},
                                  {"c1r1", {160, 96}}}) {
    CAPTURE(panel);
    const auto shown = shown_by(show.report, panel);
    REQUIRE(shown.size() == 12);
    for (const int frame : {0, 3, 5, 6, 7, 8, 9, 10, 11}) {
      const int picture = frame == 6 || frame == 9 ? frame - 1 : frame;
      CHECK(shown.at(static_cast<std::size_t>(frame)).hash ==
            hex(hash_of(cropped(numbered_picture(wall_px, picture), at, panel_px))));
    }
    const auto part = panel_report(show.report, panel);
    CHECK(part.at("damaged_frames") >= 2);
    CHECK(part.at("damaged_frames") <= 3);
    damaged_blocks += part.at("damaged_blocks").get<std::int64_t>();
  }
  CHECK(show.report.at("damaged_frames") >= 4 * 2 + 1);
  CHECK(damaged_blocks > show.report.at("damaged_frames").get<std::int64_t>());
  const nlohmann::json damage = show.report.at("damage");
  CHECK(damage.at("frames_missing") == 1);
  CHECK(damage.at("frames_damaged") == 1);
  CHECK(damage.at("frames_repeated") == 1);  // the truncated one: nothing of it is there
  CHECK(damage.at("damaged_blocks") == damaged_blocks);
  CHECK(damage.at("panels_black") == 0);
  CHECK_THAT(show.program.out,
             Catch::Contains("; DAMAGE: 1 frame missing, 1 frame damaged, 1 frame repeated, "));
  CHECK_THAT(show.program.err, Catch::Contains("movie: 11 of 12 frames are there\n"));
}

TEST_CASE("with --strict a show that lacks a frame fails and says why", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  write_numbered_movie(movie, wall_px, 4);
  fs::remove(movie / frame_file_name(2));
  const Show show = play_show(movie, "two-by-two.toml", {"--strict"});
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 1);
  CHECK(show.report.at("frames_shown") == 4);
  CHECK(show.report.at("error") ==
        "--strict: expected every frame whole on every panel, found 1 frame missing");
  write_numbered_frames(movie, wall_px, 2, 3, false);
  write_numbered_frames(movie, wall_px, 3, 4, true);
  CHECK(play_show(movie, "two-by-two.toml", {"--strict"}).program.exit_code == 0);
}
