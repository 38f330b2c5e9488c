// Lists, several inputs, Blockbuster's movies and large stills, played as users bring them.

#include <png.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "player/movie/codecs/png_writer.hpp"
#include "player/movie/frames/manifest.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/show.hpp"
#include "tests/support/sm_writer.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx wall_px = {320, 96};
constexpr SizePx panel_px = {160, 96};

/// A folder with the movies `a` (6 frames), `b` (4), the still picture 7, and a cache of its own.
class Formats {
 public:
  Formats() {
    write_numbered_movie(folder_ / "a", wall_px, 6);
    write_numbered_movie(folder_ / "b", wall_px, 4);
    write_snapshot(numbered_picture(wall_px, 7).view(), folder_ / "still.png");
  }
  Formats(const Formats&) = delete;
  Formats& operator=(const Formats&) = delete;

  [[nodiscard]] fs::path operator/(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  /// Plays it and checks that both panels show these numbered pictures, frame by frame.
  void shows(const fs::path& input, const std::vector<int>& numbers, const Words& more = {}) const {
    const Show show = play_show(input, "two-by-one.toml", more);
    CAPTURE(show.program.err);
    REQUIRE(show.program.exit_code == 0);
    CHECK(show.report.at("frames_shown") == numbers.size());
    for (const int column : {0, 1}) {
      const std::vector<ShownHash> shown = shown_by(show.report, column == 0 ? "c0r0" : "c1r0");
      REQUIRE(shown.size() == numbers.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        CAPTURE(column, i);
        CHECK(shown[i].frame == static_cast<std::int64_t>(i));
        CHECK(shown[i].hash == hash_of_number(numbers[i], column));
      }
    }
  }

 private:
  static std::string hash_of_number(int number, int column) {
    const PointPx at{column * panel_px.width, 0};
    return hex(hash_of(cropped(numbered_picture(wall_px, number), at, panel_px)));
  }

  const TemporaryFolder folder_;
  const ScopedEnvironment cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
};

void append(std::vector<int>& numbers, std::size_t count, int number) {
  numbers.insert(numbers.end(), count, number);
}

}  // namespace

TEST_CASE("a list plays its movies and stills as one schedule", "[play][playlist]") {
  const Formats formats;
  formats.write("show.m3u8", "#EXTM3U\na\n#EXTINF:0.5,a still\nstill.png\nb\n");
  std::vector<int> numbers = {0, 1, 2, 3, 4, 5};
  append(numbers, 12, 7);  // half a second at the list's 24 frames a second
  numbers.insert(numbers.end(), {0, 1, 2, 3});
  formats.shows(formats / "show.m3u8", numbers);
}

TEST_CASE("several inputs play one after the other, over the seam of a loop too",
          "[play][playlist]") {
  const Formats formats;
  const std::vector<int> once = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3};
  formats.shows(formats / "a", once, {(formats / "b").string()});
  const std::string gone = (formats / "gone.mp4").string();  // left out, and reported
  const Show show =
      play_show(formats / "a", "two-by-one.toml",
                {gone, (formats / "b").string(), "--skip-missing", "--loop", "--frames", "15"});
  CHECK(show.program.exit_code == 0);
  const std::string line = gone + ": left out, because it does not exist";
  CHECK(show.program.err == "tilewall: " + line + "\n");
  CHECK(show.report.at("notes").at(0) == line);
  CHECK(show.report.at("frames_shown") == 15);
  const std::vector<ShownHash> shown = shown_by(show.report, "c0r0");
  REQUIRE(shown.size() == 15);
  for (std::size_t i = 10; i < 15; ++i) CHECK(shown[i] == shown[i - 10]);
}

TEST_CASE("a cue list plays the ranges, repeats and held frames it names", "[play][playlist]") {
  const Formats formats;
  formats.write("show.cues",
                "BEGINCUE CueName=one LoadMovie=a Play=1 Loop=1 CurrentFrame=3 StartFrame=2 "
                "EndFrame=4 Rate=24 Zoom=2 ENDCUE\n"
                "BEGINCUE CueName=two LoadMovie=b Play=1 Loop=0 Rate=12 EndFrame=1 ENDCUE\n"
                "BEGINCUE CueName=three LoadMovie=a Play=0 CurrentFrame=5 ENDCUE\n");
  formats.shows(formats / "show.cues", {3, 4, 2, 3, 4, 0, 0, 1, 1, 5, 5, 5}, {"--frames", "12"});
}

TEST_CASE("an SM movie is imported into the cache and played from there", "[play]") {
  const Formats formats;
  SmSpec spec;
  spec.codec = SmCodec::zlib;
  spec.tile_px = {16, 16};
  write_sm(spec, formats / "m.sm");
  const Show first = play_show(formats / "m.sm", "two-by-one.toml", {});
  REQUIRE(first.program.exit_code == 0);
  CHECK(first.report.at("frames_shown") == 3);
  const ProgramResult import =
      run_program({tilewall_program, "import", (formats / "m.sm").string(), "-o",
                   (formats / "m").string(), "--wall", test_wall("two-by-one.toml")});
  REQUIRE(import.exit_code == 0);
  const Show imported = play_show(formats / "m", "two-by-one.toml", {});
  CHECK(shown_by(first.report, "c0r0") == shown_by(imported.report, "c0r0"));
  CHECK(shown_by(first.report, "c1r0") == shown_by(imported.report, "c1r0"));
}

TEST_CASE("a large still is played from the cache, where it keeps its size", "[play]") {
  const Formats formats;
  constexpr SizePx size_px{4096, 3920};
  const std::vector<std::uint8_t> gray(std::size_t{size_px.width} * size_px.height, 200);
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = size_px.width;
  image.height = size_px.height;
  image.format = PNG_FORMAT_GRAY;
  const std::string file = (formats / "large.png").string();
  REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, gray.data(), 0, nullptr) != 0);
  const ProgramResult info = run_program({tilewall_program, "info", file, "--json"});
  CHECK(nlohmann::json::parse(info.out).at("played_from_cache") == true);
  const auto cache = [](const Words& words) {
    Words typed = {tilewall_program, "cache"};
    typed.insert(typed.end(), words.begin(), words.end());
    return run_program(typed);
  };
  fs::create_directories(formats / "cache/tilewall/old");
  std::ofstream(formats / "cache/tilewall/old/frame") << std::string(4'000'000, 'x');
  CHECK(cache({"limit", "3M"}).out == "3.0 MiB\n");
  const Show show = play_show(file, "two-by-one.toml", {});
  CHECK(show.program.exit_code == 0);
  const std::string old = (formats / "cache/tilewall/old").string();
  CHECK_THAT(show.program.err, Catch::Contains("tilewall: " + old + ": removed, 0.00 GiB"));
  const auto list = nlohmann::json::parse(cache({"--json"}).out);
  CHECK(list.at("limit_bytes") == 3 << 20);
  REQUIRE(list.at("entries").size() == 1);
  const auto& entry = list.at("entries")[0];
  CHECK(entry.at("in_use") == false);
  CHECK_THAT(entry.at("source").get<std::string>(), Catch::Contains("large.png"));
  CHECK(load_manifest(entry.at("path").get<std::string>()).size_px == size_px);
  const ProgramResult cleaned = cache({"clean"});
  CHECK_THAT(cleaned.out, Catch::StartsWith("removed large-") && Catch::EndsWith("0.0 MiB left\n"));
}

TEST_CASE("info tells a list's items, frames and seconds", "[play][playlist]") {
  const Formats formats;
  formats.write("show.m3u8", "a\n#EXTINF:0.5\nstill.png\nb\n");
  const std::string list = (formats / "show.m3u8").string();
  const ProgramResult result = run_program({tilewall_program, "info", list, "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("kind") == "playlist");
  CHECK(report.at("frames") == 22);
  CHECK(report.at("fps") == 24);
  CHECK(report.at("duration_s").get<double>() == Approx(22.0 / 24));
  REQUIRE(report.at("items").size() == 3);
  CHECK(report.at("items")[1].at("path") == (formats / "still.png").string());
  CHECK(report.at("items")[1].at("duration_s") == 0.5);
  CHECK(report.at("items")[2].at("start_frame") == 18);
  const ProgramResult text = run_program({tilewall_program, "info", list});
  CHECK_THAT(text.out, Catch::Contains("still.png: frames 0 to 0, 0.5 s"));
}
