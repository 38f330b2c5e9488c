// What the panels of a real wall show, pixel for pixel: hashes against pictures the test computes.

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <optional>

#include "player/movie/codecs/png_writer.hpp"
#include "render/sync_strip.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx panel_px = {160, 96};
constexpr SizePx wall_px = {320, 192};
constexpr int movie_frames = 12;

struct PanelAt {
  std::string name;
  PointPx at;
};
const std::vector<PanelAt> two_by_two = {
    {"c0r0", {0, 0}}, {"c1r0", {160, 0}}, {"c0r1", {0, 96}}, {"c1r1", {160, 96}}};
const std::vector<PanelAt> two_by_one = {{"c0r0", {0, 0}}, {"c1r0", {160, 0}}};

/// Frames [first, first + count).
std::vector<std::int64_t> run_of(std::int64_t first, int count) {
  std::vector<std::int64_t> frames;
  for (int i = 0; i < count; ++i) frames.push_back(first + i);
  return frames;
}

/// Crops of numbered pictures of that size, frame by frame.
std::vector<ShownHash> crops(SizePx movie_px, PointPx at, const std::vector<std::int64_t>& frames) {
  std::vector<ShownHash> hashes;
  for (const std::int64_t frame : frames)
    hashes.push_back(
        {frame, hex(hash_of(cropped(numbered_picture(movie_px, frame), at, panel_px)))});
  return hashes;
}

void check_whole(const Show& show, std::int64_t frames) {
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.program.err.empty());
  CHECK(show.report.at("frames_scheduled") == frames);
  CHECK(show.report.at("frames_shown") == frames);
  CHECK(show.report.at("damaged_frames") == 0);
}

/// Plays `movie` and checks that each panel shows its crop of just these frames, in this order.
void check_crops(const fs::path& movie, SizePx movie_px, const std::string& wall,
                 const std::vector<PanelAt>& panels, const std::vector<std::int64_t>& frames,
                 const Words& more) {
  const Show show = play_show(movie, wall, more);
  check_whole(show, static_cast<std::int64_t>(frames.size()));
  for (const PanelAt& panel : panels) {
    CAPTURE(panel.name);
    CHECK(shown_by(show.report, panel.name) == crops(movie_px, panel.at, frames));
  }
}

/// A number of a pixel's surroundings, where they are a plane: its slopes and the value at (0, 0).
struct Slope {
  int at = 0, across = 0, down = 0;
};

/// Empty unless a filter that is four pixels wide on each side sees nothing but a plane.
std::optional<Slope> slope_at(const ImageView& picture, int x, int y, std::size_t channel) {
  const auto value = [&](int dx, int dy) {
    return static_cast<int>(pixel_at(picture, {x + dx, y + dy})[channel]);
  };
  const Slope slope{value(0, 0), value(1, 0) - value(0, 0), value(0, 1) - value(0, 0)};
  for (int dy = -4; dy <= 4; ++dy)
    for (int dx = -4; dx <= 4; ++dx)
      if (value(dx, dy) != slope.at + dx * slope.across + dy * slope.down) return std::nullopt;
  return slope;
}

/// Checks a panel that shows `source` scaled: the panel's pixel (0, 0) is pixel `at` of the scaled
/// picture, whose pixels are `across` times `down` pixels of the source. Where the source is a
/// plane, every filter gives the plane's value at the pixel's centre.
void check_scaled(const ImageView& shown, const TestPicture& source, PointPx at, double across,
                  double down) {
  const ImageView from = source.view();
  int compared = 0, worst = 0;
  for (int y = 0; y < shown.size_px.height; ++y)
    for (int x = 0; x < shown.size_px.width; ++x) {
      const double source_x = (at.x + x + 0.5) * across - 0.5;
      const double source_y = (at.y + y + 0.5) * down - 0.5;
      const int left = static_cast<int>(std::floor(source_x));
      const int top = static_cast<int>(std::floor(source_y));
      if (left < 4 || top < 4 || left + 4 >= from.size_px.width || top + 4 >= from.size_px.height)
        continue;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const auto slope = slope_at(from, left, top, channel);
        if (!slope) continue;
        const double expected =
            slope->at + slope->across * (source_x - left) + slope->down * (source_y - top);
        const int found = pixel_at(shown, {x, y})[channel];
        worst = std::max(worst, static_cast<int>(std::ceil(std::abs(found - expected) - 0.51)));
        ++compared;
      }
    }
  CHECK(worst <= 1);
  CHECK(compared > shown.size_px.width * shown.size_px.height);  // of three channels
}

}  // namespace

TEST_CASE("every panel shows exactly its pixels of every frame", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  for (const std::string presenter : {"null", "cpu"}) {
    CAPTURE(presenter);
    const Show show =
        play_show(folder / "movie", "two-by-two.toml", {"--fps", "60", "--presenter", presenter});
    check_whole(show, movie_frames);
    CHECK(show.report.at("wall").at("canvas_width_px") == wall_px.width);
    for (const PanelAt& panel : two_by_two) {
      CAPTURE(panel.name);
      CHECK(shown_by(show.report, panel.name) == crops(wall_px, panel.at, run_of(0, movie_frames)));
      const auto part = panel_report(show.report, panel.name);
      CHECK(part.at("presenter") == presenter);
      CHECK(part.at("frames_shown") == movie_frames);
      CHECK(part.at("last_frame") == movie_frames - 1);
      CHECK(part.at("decoded_px").get<std::int64_t>() >=
            std::int64_t{movie_frames} * panel_px.width * panel_px.height);
      CHECK(part.at("read_bytes").get<std::int64_t>() > 0);
      CHECK(part.at("peak_rss_bytes").get<std::int64_t>() > 0);
    }
  }
}

TEST_CASE("start, frames, loop, speed and fps choose the frames and their order", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  constexpr SizePx size_px = {320, 96};
  write_numbered_movie(movie, size_px, movie_frames);
  const auto check = [&](const std::vector<std::int64_t>& frames, const Words& more) {
    CAPTURE(more);
    check_crops(movie, size_px, "two-by-one.toml", two_by_one, frames, more);
  };
  check({3, 4, 5, 6, 7}, {"--start", "3", "--frames", "5"});
  check({9, 10, 11}, {"--start", "9", "--frames", "50", "--fps", "30000/1001"});
  check({10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0},
        {"--start", "10", "--loop", "--frames", "15", "--fps", "120"});
  check({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, {"--speed", "-2"});
  check({2, 1, 0, 11, 10}, {"--speed", "-1", "--start", "2", "--loop", "--frames", "5"});
  check(run_of(0, movie_frames), {"--speed", "2.5"});
}

TEST_CASE("an image sequence is shown as it is, and a gap keeps the picture before", "[play]") {
  const TemporaryFolder folder;
  constexpr SizePx size_px = {320, 96};
  fs::create_directory(folder / "images");
  for (const int frame : {0, 1, 2, 4})
    movie::write_snapshot(numbered_picture(size_px, frame).view(),
                          folder / ("images/f-" + std::to_string(frame) + ".png"));
  const Show show = play_show(folder / "images/f-%d.png", "two-by-one.toml", {});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == 5);
  for (const PanelAt& panel : two_by_one) {
    auto expected = crops(size_px, panel.at, {0, 1, 2, 2, 4});
    expected[3].frame = 3;
    CHECK(shown_by(show.report, panel.name) == expected);
  }
}

TEST_CASE("a snapshot is the wall at that frame, of each panel too", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  const std::string whole = (folder / "wall.png").string();
  const std::string parts = (folder / "part.png").string();
  check_whole(play_show(folder / "movie", "two-by-two.toml",
                        {"--snapshot", "5:" + whole, "--snapshot-panels", "5:" + parts}),
              movie_frames);
  const TestPicture shown = read_png(whole);
  CHECK(read_count_code(shown.view()) == 5);
  CHECK(same_pixels(shown.view(), numbered_picture(wall_px, 5).view()));
  for (const PanelAt& panel : two_by_two)
    CHECK(same_pixels(read_png(folder / ("part-" + panel.name + ".png")).view(),
                      cropped(shown, panel.at, panel_px).view()));
}

TEST_CASE("a snapshot of a frame beyond the loop's seam waits for that frame", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  const std::string file = (folder / "wall.png").string();
  check_whole(play_show(folder / "movie", "two-by-two.toml",
                        {"--start", "10", "--loop", "--frames", "8", "--snapshot", "3:" + file}),
              8);
  CHECK(same_pixels(read_png(file).view(), numbered_picture(wall_px, 3).view()));
}

TEST_CASE("a snapshot of a frame that is never played is refused before the show", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  const fs::path file = folder / "wall.png";
  const auto refused = [&](Words more) {
    more.insert(more.end(), {"--headless", "--snapshot", "8:" + file.string()});
    const ProgramResult result = run_program(play_words(folder / "movie", "two-by-two.toml", more));
    CHECK(result.exit_code == 2);
    CHECK_FALSE(fs::exists(file));
    return result.err;
  };
  const std::string line = "tilewall: --snapshot: expected a frame that is played: ";
  CHECK(refused({"--frames", "3"}) == line + "0 to 2, found \"8\"\n");
  CHECK(refused({"--start", "9"}) == line + "9 to 11, found \"8\"\n");
  CHECK(refused({"--range", "2-6", "--loop"}) == line + "from 2 on, within 2 to 6, found \"8\"\n");
}

TEST_CASE("hidden bezels swallow pixels, shown ones none", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  const std::vector<std::int64_t> frames = {0, 1, 2};
  write_numbered_movie(movie, {340, 96}, 3);
  const std::vector<PanelAt> apart = {{"c0r0", {0, 0}}, {"c1r0", {180, 0}}};
  check_crops(movie, {340, 96}, "bezels.toml", apart, frames, {});
  check_crops(movie, {340, 96}, "bezels.toml", apart, frames, {"--bezels", "hide"});
  write_numbered_movie(folder / "abutting", {320, 96}, 3);
  check_crops(folder / "abutting", {320, 96}, "bezels.toml", two_by_one, frames,
              {"--bezels", "show"});
}

TEST_CASE("contain leaves black, cover cuts, stretch distorts, a view enlarges", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  SECTION("contain") {
    write_numbered_movie(movie, {160, 192}, 2);
    const std::vector<PanelAt> shifted = {
        {"c0r0", {-80, 0}}, {"c1r0", {80, 0}}, {"c0r1", {-80, 96}}, {"c1r1", {80, 96}}};
    check_crops(movie, {160, 192}, "two-by-two.toml", shifted, {0, 1}, {"--fit", "contain"});
  }
  SECTION("cover") {
    write_numbered_movie(movie, {320, 240}, 2);
    const std::vector<PanelAt> shifted = {
        {"c0r0", {0, 24}}, {"c1r0", {160, 24}}, {"c0r1", {0, 120}}, {"c1r1", {160, 120}}};
    check_crops(movie, {320, 240}, "two-by-two.toml", shifted, {0, 1}, {"--fit", "cover"});
  }
  SECTION("a view of the wall's own size") {
    write_numbered_movie(movie, {640, 384}, 2);
    const std::vector<PanelAt> shifted = {
        {"c0r0", {100, 50}}, {"c1r0", {260, 50}}, {"c0r1", {100, 146}}, {"c1r1", {260, 146}}};
    check_crops(movie, {640, 384}, "two-by-two.toml", shifted, {0, 1},
                {"--view", "100,50,320,192"});
  }
  SECTION("stretch") {
    write_numbered_movie(movie, {200, 200}, 2);
    const std::string parts = (folder / "part.png").string();
    const Show show = play_show(movie, "two-by-two.toml",
                                {"--fit", "stretch", "--snapshot-panels", "1:" + parts});
    check_whole(show, 2);
    for (const PanelAt& panel : two_by_two) {
      CAPTURE(panel.name);
      const TestPicture part = read_png(folder / ("part-" + panel.name + ".png"));
      check_scaled(part.view(), numbered_picture({200, 200}, 1), panel.at, 200.0 / 320,
                   200.0 / 192);
      const auto shown = shown_by(show.report, panel.name);
      REQUIRE(shown.size() == 2);
      CHECK(shown[1].hash == hex(hash_of(part)));
    }
  }
}

TEST_CASE("turned and finer panels show their place of the picture upright", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  constexpr SizePx size_px = {800, 96};
  write_numbered_movie(movie, size_px, 2);
  const std::string file = (folder / "wall.png").string();
  const Show show = play_show(
      movie, "turned.toml",
      {"--snapshot", "1:" + file, "--snapshot-panels", "1:" + (folder / "part.png").string()});
  check_whole(show, 2);
  for (int column = 0; column < 4; ++column) {
    CAPTURE(column);
    CHECK(shown_by(show.report, "c" + std::to_string(column) + "r0") ==
          crops(size_px, {column * 160, 0}, {0, 1}));
  }
  const TestPicture finer = read_png(folder / "part-c4r0.png");
  REQUIRE(finer.view().size_px == SizePx{320, 192});
  check_scaled(finer.view(), numbered_picture(size_px, 1), {1280, 0}, 0.5, 0.5);
  const auto fine = shown_by(show.report, "c4r0");
  REQUIRE(fine.size() == 2);
  CHECK(fine[1].hash == hex(hash_of(finer)));
  const TestPicture picture = numbered_picture(size_px, 1);
  CHECK(same_pixels(cropped(read_png(file), {0, 0}, {640, 96}).view(),
                    cropped(picture, {0, 0}, {640, 96}).view()));
}
