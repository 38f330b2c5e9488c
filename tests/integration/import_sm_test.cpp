// Blockbuster's SM movies become wall movies.

#include <catch2/catch.hpp>
#include <fstream>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/frame_reader.hpp"
#include "sync/base/error.hpp"
#include "tests/support/sm_writer.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;

namespace {

/// What an import says to people.
class NotedLines final : public ProgressSink {
 public:
  void update(const TransferProgress&) override {}
  void note(const std::string& line) override { lines.push_back(line); }
  std::vector<std::string> lines;
};

ImportResult import(const std::filesystem::path& input, const std::filesystem::path& output,
                    NotedLines& notes) {
  ImportOptions options;
  options.inputs = {input.string()};
  options.output = output;
  options.compression = BlockCompression::zstd;  // exact
  return import_movie(options, notes);
}

/// The number of the SM picture that a stored frame is; -1 = none of them, pixel for pixel.
int picture_in(const std::filesystem::path& movie, std::int64_t frame) {
  const MovieManifest manifest = load_manifest(movie);
  const PlanarPicture stored = decode_frame_to_planes(manifest, movie, frame, 0);
  for (int picture = 0; picture < 4; ++picture) {
    bool same = stored.planes.size() == 3;
    for (int y = 0; same && y < manifest.size_px.height; ++y)
      for (int x = 0; same && x < manifest.size_px.width; ++x)
        for (std::size_t p = 0; p < 3; ++p)
          same = same && stored.planes[p].row(y)[x] == sm_colour(picture, {x, y})[p];
    if (same) return picture;
  }
  return -1;
}

}  // namespace

TEST_CASE("an SM movie of any codec is imported at its own rate", "[transfer]") {
  const TemporaryFolder folder;
  for (const SmCodec codec : {SmCodec::raw, SmCodec::rle, SmCodec::zlib, SmCodec::lzo}) {
    CAPTURE(sm_codec_name(codec));
    SmSpec spec;
    spec.codec = codec;
    spec.tile_px = {20, 12};
    spec.levels = 2;
    spec.fps_twentieths = 250;
    write_sm(spec, folder / "a.sm");
    const std::filesystem::path movie = folder / sm_codec_name(codec);
    NotedLines notes;
    const ImportResult result = import(folder / "a.sm", movie, notes);
    CHECK(result.manifest.fps == Rational{25, 2});
    CHECK(result.manifest.frames == 3);
    CHECK(result.manifest.size_px == SizePx{48, 32});
    CHECK(result.damaged_frames == 0);
    CHECK(notes.lines.empty());
    for (int frame = 0; frame < 3; ++frame) CHECK(picture_in(movie, frame) == frame);
  }
}

TEST_CASE("of a stereo SM movie the left eye is imported, and a line says so", "[transfer]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.stereo = true;
  spec.pictures = 4;
  write_sm(spec, folder / "a.sm");
  NotedLines notes;
  CHECK(import(folder / "a.sm", folder / "movie", notes).manifest.frames == 2);
  CHECK(picture_in(folder / "movie", 0) == 0);
  CHECK(picture_in(folder / "movie", 1) == 2);
  CHECK(notes.lines == std::vector<std::string>{(folder / "a.sm").string() +
                                                ": a stereo movie: the left eye's pictures are "
                                                "taken"});
}

TEST_CASE("a damaged SM frame shows the picture before it, and is counted", "[transfer]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.codec = SmCodec::zlib;
  spec.tile_px = {16, 16};
  const std::string bytes = sm_bytes(spec);
  std::ofstream(folder / "a.sm", std::ios::binary) << bytes.substr(0, bytes.size() - 9);
  NotedLines notes;
  const ImportResult result = import(folder / "a.sm", folder / "movie", notes);
  CHECK(result.manifest.frames == 3);
  CHECK(result.damaged_frames == 1);
  CHECK(picture_in(folder / "movie", 1) == 1);
  CHECK(picture_in(folder / "movie", 2) == 1);
  std::ofstream(folder / "b.sm", std::ios::binary) << bytes.substr(0, 256 + 3 * 12);
  CHECK_THROWS_WITH(import(folder / "b.sm", folder / "none", notes),
                    Catch::Contains("b.sm: frame 0: expected"));
}
