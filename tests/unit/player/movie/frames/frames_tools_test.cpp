// Other people's tools on our frames: tiffinfo, GDAL and libvips, where they are installed.
#include <catch2/catch.hpp>

#include "player/movie/frames/frame_reader.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/picture/draw_counters.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/run_program.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::picture;
using namespace tilewall::test;

namespace {

struct Output {
  int status;
  std::string text;  // stdout and stderr
};

Output run(const std::string& command) {
  const ProgramResult result = run_program({"sh", "-c", command});
  return {result.exit_code, result.out + result.err};
}

bool installed(const char* tool) {
  if (run(std::string("command -v ") + tool).status == 0) return true;
  WARN("skipped: " << tool << " is not installed");
  return false;
}

struct Frame {
  TemporaryFolder folder;
  MovieManifest movie;

  explicit Frame(Chroma chroma, BlockCompression compression)
      : movie(movie_of({642, 481}, chroma, {256, 160})) {
    movie.compression = compression;
    save_manifest(folder.path(), movie);
    FrameWriter(movie, {}).write(wave_picture(movie.size_px, chroma), file());
  }
  [[nodiscard]] std::string file() const { return (folder.path() / frame_file_name(0)).string(); }

  /// What we show of level `level`, pixel for pixel.
  [[nodiscard]] TestPicture drawn(int level) const {
    const SizePx size = level_size_px(movie.size_px, level);
    const double scale = 1 << level;
    TestPicture picture(size);
    REQUIRE(open_wall_movie(folder.path(), 1)
                ->draw(0,
                       {{0, 0, size.width * scale, size.height * scale},
                        {0, 0, double(size.width), double(size.height)}},
                       picture.view(), nullptr) == DrawStatus::whole);
    return picture;
  }
};

double picture_psnr_db(const ImageView& a, const ImageView& b) {
  REQUIRE(a.size_px == b.size_px);
  double sum = 0;
  for (int y = 0; y < a.size_px.height; ++y)
    for (int x = 0; x < a.size_px.width; ++x)
      for (int i = 0; i < 3; ++i) {
        const double difference = a.row(y)[4 * x + i] - b.row(y)[4 * x + i];
        sum += difference * difference;
      }
  return psnr_db(sum, 3.0 * a.size_px.width * a.size_px.height);
}

constexpr double least_psnr_db = 38;  // decoders differ in how they spread chroma

struct Kind {
  Chroma chroma;
  BlockCompression compression;
};
constexpr Kind kinds[] = {
    {Chroma::gray, BlockCompression::jpeg},   {Chroma::yuv420, BlockCompression::jpeg},
    {Chroma::yuv444, BlockCompression::jpeg}, {Chroma::gray, BlockCompression::deflate},
    {Chroma::rgb, BlockCompression::deflate}, {Chroma::rgb, BlockCompression::zstd}};

}  // namespace

TEST_CASE("tiffinfo reads every level without a warning", "[frames][tools]") {
  if (!installed("tiffinfo")) return;
  for (const Kind& kind : kinds) {
    const Frame frame(kind.chroma, kind.compression);
    const Output info = run("tiffinfo -D " + frame.file());
    CAPTURE(info.text);
    CHECK(info.status == 0);
    CHECK_THAT(info.text, Catch::Contains("Image Width: 642 Image Length: 481") &&
                              Catch::Contains("Image Width: 321 Image Length: 241") &&
                              Catch::Contains("Image Width: 161 Image Length: 121") &&
                              Catch::Contains("Tile Width: 256 Tile Length: 160") &&
                              !Catch::Contains("Warning") && !Catch::Contains("rror"));
  }
}

TEST_CASE("GDAL sees the pyramid and the same pixels", "[frames][tools]") {
  if (!installed("gdalinfo") || !installed("gdal_translate")) return;
  for (const Kind& kind : kinds) {
    const Frame frame(kind.chroma, kind.compression);
    const Output info = run("gdalinfo " + frame.file());
    CAPTURE(info.text);
    CHECK_THAT(info.text, Catch::Contains("Overviews: 321x241, 161x121") &&
                              !Catch::Contains("Warning") && !Catch::Contains("ERROR"));
    const std::string png = (frame.folder.path() / "gdal.png").string();
    REQUIRE(run("gdal_translate -q -of PNG " + frame.file() + " " + png).status == 0);
    CHECK(picture_psnr_db(read_png(png).view(), frame.drawn(0).view()) >= least_psnr_db);
  }
}

TEST_CASE("libvips opens each level with the same pixels", "[frames][tools]") {
  if (!installed("vips")) return;
  for (const Kind& kind : kinds) {
    const Frame frame(kind.chroma, kind.compression);
    for (int level = 0; level < frame.movie.levels; ++level) {
      const std::string png = (frame.folder.path() / "vips.png").string();
      const Output copied =
          run("vips copy '" + frame.file() + "[page=" + std::to_string(level) + "]' " + png);
      CAPTURE(copied.text, level, static_cast<int>(kind.chroma));
      REQUIRE(copied.status == 0);
      CHECK(picture_psnr_db(read_png(png).view(), frame.drawn(level).view()) >= least_psnr_db);
    }
  }
}
