#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "player/movie/frames/frame_reader.hpp"
#include "player/movie/frames/scaler.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::scene;
using namespace tilewall::test;

TEST_CASE("a folder is a wall movie where its manifest is a file", "[frames]") {
  const TemporaryFolder folder;
  CHECK_FALSE(is_wall_movie(folder.path()));
  CHECK_FALSE(is_wall_movie(folder / "missing"));
  std::filesystem::create_directory(folder / "movie.toml");
  CHECK_FALSE(is_wall_movie(folder.path()));
  std::filesystem::remove(folder / "movie.toml");
  std::ofstream(folder / "movie.toml") << "any text";
  CHECK(is_wall_movie(folder.path()));
  CHECK_FALSE(is_wall_movie(folder / "movie.toml"));
}

TEST_CASE("a manifest comes back as it was saved", "[frames]") {
  const TemporaryFolder folder;
  MovieManifest movie = movie_of({1280, 481}, Chroma::yuv444, {256, 160});
  movie.fps = {30000, 1001};
  movie.frames = 240;
  movie.order = BlockOrder::panels;
  movie.audio_file = "audio.mka";
  movie.source = "a \"quoted\" \\ name\nof Z\xc3\xbcrich";
  movie.repeated_frames = 3;
  save_manifest(folder.path(), movie);
  CHECK(is_wall_movie(folder.path()));
  const MovieManifest back = load_manifest(folder.path());
  CHECK(back.size_px == movie.size_px);
  CHECK(back.fps == movie.fps);
  CHECK(back.frames == 240);
  CHECK(back.chroma == Chroma::yuv444);
  CHECK(back.order == BlockOrder::panels);
  CHECK(back.block_px == movie.block_px);
  CHECK(back.levels == movie.levels);
  CHECK(back.complete);
  CHECK(back.audio_file == "audio.mka");
  CHECK(back.source == movie.source);
  CHECK(back.repeated_frames == 3);
}

TEST_CASE("a name that is no UTF-8 still makes a manifest that loads", "[frames]") {
  const TemporaryFolder folder;
  MovieManifest movie = movie_of({16, 16}, Chroma::gray, {16, 16});
  movie.source = "bad \xff\xc3 name \xed\xa0\x80";
  save_manifest(folder.path(), movie);
  CHECK(load_manifest(folder.path()).source == "bad ?? name ???");
}

namespace {

std::string manifest_text() {
  const TemporaryFolder folder;
  save_manifest(folder.path(), movie_of({1280, 480}, Chroma::yuv420, {256, 160}));
  return read_text_file(folder.path() / manifest_name, 10000);
}

std::string error_of(std::string text, const std::string& from, const std::string& to) {
  const TemporaryFolder folder;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  std::ofstream(folder.path() / manifest_name) << text;
  try {
    (void)load_manifest(folder.path());
  } catch (const InputError& error) {
    return std::string(error.what()).substr(folder.path().string().size() + 1);
  }
  return "";
}

}  // namespace

TEST_CASE("a wrong manifest is refused with file, line and field", "[frames][bad-input]") {
  struct Case {
    const char *from, *to, *message;
  };
  const Case cases[] = {
      {"width_px = 1280", "width_px = 0",
       "movie.toml:3: width_px: expected an integer in [1, 1000000], found 0"},
      {"width_px = 1280", "width_px = \"wide\"",
       "movie.toml:3: width_px: expected an integer in [1, 1000000], found \"wide\""},
      {"width_px = 1280", "width_px = 12.5",
       "movie.toml:3: width_px: expected an integer in [1, 1000000], found 12.5"},
      {"width_px = 1280\n", "", "movie.toml: width_px: expected this key, found none"},
      {"fps = \"24\"", "fps = \"0\"",
       "movie.toml:5: fps: expected a positive rate such as \"24\" or \"30000/1001\", found \"0\""},
      {"4:2:0", "4:1:1",
       "movie.toml:7: chroma: expected one of \"gray\" \"4:2:0\" \"4:4:4\" \"rgb\", found "
       "\"4:1:1\""},
      {"4:2:0", "rgb",
       "movie.toml:7: chroma: expected gray, 4:2:0 or 4:4:4 with JPEG blocks, gray or rgb with "
       "lossless ones, found \"rgb\""},
      {"block_width_px = 256", "block_width_px = 250",
       "movie.toml:10: block_width_px: expected a multiple of 16, found 250"},
      {"levels = 4", "levels = 40",
       "movie.toml:12: levels: expected an integer in [1, 4], found 40"},
      {"complete = true", "complete = 1",
       "movie.toml:14: complete: expected true or false, found 1"},
      {"audio_file = \"\"", "audio_file = \"../x\"",
       "movie.toml:15: audio_file: expected the name of a file beside movie.toml, found \"../x\""},
      {"levels = 4", "levles = 4",
       "movie.toml:12: levles: expected a known key (the nearest is \"levels\"), found an unknown "
       "one"},
      {"format_version = 1", "format_version = 2",
       "movie.toml:2: format_version: expected an integer in [1, 1], found 2"}};
  const std::string text = manifest_text();
  for (const Case& c : cases) {
    CAPTURE(c.to);
    CHECK(error_of(text, c.from, c.to) == c.message);
  }
  CHECK_THAT(error_of(text, "fps = \"24\"", "fps = \"24"),
             Catch::StartsWith("movie.toml:5: expected valid TOML, found "));
}

TEST_CASE("every truncation of a manifest is refused or read", "[frames][bad-input]") {
  const std::string text = manifest_text();
  const TemporaryFolder folder;
  for (std::size_t length = 0; length < text.size() - 1; ++length) {
    std::ofstream(folder.path() / manifest_name) << text.substr(0, length);
    CHECK_THROWS_AS(load_manifest(folder.path()), InputError);
  }
}

// A grid of panels with `gap` hidden pixels between them.
std::vector<RectF> shares(int columns, int rows, RectF panel, double gap) {
  std::vector<RectF> all;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      all.push_back({panel.x + column * (panel.width + gap), panel.y + row * (panel.height + gap),
                     panel.width, panel.height});
  return all;
}

// Pixels of the blocks that panels see, over pixels that they see.
double amplification(SizePx block, const std::vector<RectF>& panels) {
  double seen = 0;
  double read = 0;
  for (const RectF& panel : panels) {
    const auto count = [](double begin, double end, int side) {
      return std::ceil(end / side) - std::floor(begin / side);
    };
    seen += panel.width * panel.height;
    read += count(panel.x, panel.right(), block.width) * block.width *
            count(panel.y, panel.bottom(), block.height) * block.height;
  }
  return read / seen;
}

TEST_CASE("blocks coincide with panels where they can", "[frames]") {
  CHECK(choose_block_px({12800, 4800}, shares(5, 3, {0, 0, 2560, 1600}, 0)) == SizePx{640, 400});
  CHECK(choose_block_px({6400, 2048}, shares(5, 2, {0, 0, 1280, 1024}, 0)) == SizePx{640, 512});
  CHECK(choose_block_px({1280, 480}, shares(5, 3, {0, 0, 256, 160}, 0)) == SizePx{256, 160});
}

TEST_CASE("blocks for hidden bezels cost at most 1.3 of the bytes that are seen", "[frames]") {
  const auto tall = shares(5, 3, {0, 0, 2560, 1600}, 184);
  CHECK(amplification(choose_block_px({13536, 5168}, tall), tall) <= 1.3);
  const auto wide = shares(5, 2, {0, 0, 1280, 1024}, 90);
  CHECK(amplification(choose_block_px({6760, 2138}, wide), wide) <= 1.3);
}

TEST_CASE("a small movie on a large wall has blocks as small as its panels' shares", "[frames]") {
  const auto panels = shares(5, 3, {-6, -6, 183, 172}, -12);  // 853x480, with the filter's reach
  const SizePx block = choose_block_px({853, 480}, panels);
  CHECK(block.width <= 192);
  CHECK(block.height <= 192);
}

TEST_CASE("blocks for no wall are 512x512, or as small as the movie", "[frames]") {
  CHECK(choose_block_px({7680, 4320}, {}) == SizePx{512, 512});
  CHECK(choose_block_px({320, 200}, {}) == SizePx{320, 208});
  CHECK(choose_block_px({1, 1}, {}) == SizePx{16, 16});
  CHECK(choose_block_px({1, 1}, shares(1, 1, {0, 0, 1, 1}, 0)) == SizePx{16, 16});
}

TEST_CASE("panel order puts each panel's blocks one after the other, once each", "[frames]") {
  const BlockGrid grid{{12800, 4800}, {640, 400}};
  const std::vector<int> order = block_order(grid, BlockOrder::panels, {2560, 1600}, 0);
  REQUIRE(order.size() == 240);
  CHECK(std::set<int>(order.begin(), order.end()).size() == 240);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const RectPx rect = grid.rect_px(order[i]);
    CHECK(static_cast<std::size_t>(rect.y / 1600 * 5 + rect.x / 2560) == i / 16);
  }
  CHECK(block_order(grid, BlockOrder::panels, {2560, 1600}, 1) ==
        block_order(grid, BlockOrder::rows, {0, 0}, 1));
}

TEST_CASE("halving agrees with its formula at every width and offset", "[frames]") {
  const PlanarPicture noise = noise_picture({400, 2}, Chroma::gray, 1);
  for (int width = 1; width <= 130; ++width)
    for (int offset : {0, 1, 5, 31}) {
      const std::uint8_t* upper = noise.planes[0].row(0) + offset;
      const std::uint8_t* lower = noise.planes[0].row(1) + offset;
      std::vector<std::uint8_t> fast(200, 7), slow(200, 7);
      halve_rows(upper, lower, fast.data() + offset, width);
      halve_rows_reference(upper, lower, slow.data() + offset, width);
      CAPTURE(width, offset);
      REQUIRE(fast == slow);
    }
}

TEST_CASE("halving an odd picture counts its last row and column twice", "[frames]") {
  PlanarPicture picture({3, 3}, Chroma::gray);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) picture.planes[0].row(y)[x] = static_cast<std::uint8_t>(10 * y + x);
  const PlanarPicture half = halved(picture);
  CHECK(half.size_px == SizePx{2, 2});
  CHECK(half.planes[0].row(0)[0] == 6);   // 0 1 10 11
  CHECK(half.planes[0].row(0)[1] == 7);   // 2 2 12 12
  CHECK(half.planes[0].row(1)[0] == 21);  // 20 21 20 21
  CHECK(half.planes[0].row(1)[1] == 22);
}

TEST_CASE("a frame that cannot be created fails with its name and leaves nothing",
          "[frames][bad-input]") {
  const TemporaryFolder folder;
  const MovieManifest movie = movie_of({64, 64}, Chroma::yuv420, {64, 64});
  FrameWriter writer(movie, {});
  const PlanarPicture picture = wave_picture({64, 64}, Chroma::yuv420);
  const auto missing = folder.path() / "none" / "frame-000000.tif";
  CHECK_THROWS_WITH(writer.write(picture, missing),
                    Catch::StartsWith(missing.string()) && Catch::Contains("No such file"));
  const auto file = folder.path() / "frame-000000.tif";
  std::filesystem::create_directory(file);
  CHECK_THROWS_AS(writer.write(picture, file), JobError);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a disk that fills up at any byte fails the frame with its name and leaves nothing",
          "[frames][bad-input]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "frame-000000.tif";
  const MovieManifest movie = movie_of({96, 64}, Chroma::yuv420, {48, 32});
  const PlanarPicture picture = wave_picture(movie.size_px, Chroma::yuv420);
  const std::uint64_t size = FrameWriter(movie, {}).write(picture, file).bytes;
  std::filesystem::remove(file);
  for (std::uint64_t limit = 0; limit < size; limit += 53) {
    std::string whole_error, huge_error;
    {
      const FileSizeLimit full(limit);
      try {
        FrameWriter(movie, {}).write(picture, file);
      } catch (const JobError& error) {
        whole_error = error.what();
      }
      try {
        HugeFrameWriter huge(movie, {}, file);
        huge.add_rows(picture);
        huge.finish();
      } catch (const JobError& error) {
        huge_error = error.what();
      }
    }
    CAPTURE(limit);
    CHECK(whole_error == file.string() + ": write: File too large");
    CHECK(huge_error == whole_error);
    REQUIRE(std::filesystem::is_empty(folder.path()));
  }
}

TEST_CASE("a frame of many megabytes comes back as it was written", "[frames]") {
  const TemporaryFolder folder;
  MovieManifest movie = movie_of({2000, 1500}, Chroma::rgb, {512, 512});
  const PlanarPicture noise = noise_picture(movie.size_px, movie.chroma, 5);
  const WrittenFrame written =
      FrameWriter(movie, {0, 0}).write(noise, folder.path() / frame_file_name(0));
  CHECK(written.bytes > 8'000'000);
  CHECK(verify_frame(movie, folder.path(), 0).empty());
  const PlanarPicture back = decode_frame_to_planes(movie, folder.path(), 0, 0);
  for (std::size_t p = 0; p < noise.planes.size(); ++p)
    CHECK(plane_psnr_db(noise.planes[p], back.planes[p]) == 99);
}

TEST_CASE("an unfinished huge frame leaves nothing", "[frames]") {
  const TemporaryFolder folder;
  {
    HugeFrameWriter writer(movie_of({64, 64}, Chroma::yuv420, {32, 32}), {},
                           folder.path() / "f.tif");
    writer.add_rows(wave_picture({64, 40}, Chroma::yuv420));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a huge frame is byte for byte what the whole frame gives", "[frames]") {
  const TemporaryFolder folder;
  for (const Chroma chroma : {Chroma::gray, Chroma::yuv420, Chroma::yuv444, Chroma::rgb})
    for (const SizePx size : {SizePx{1, 1}, SizePx{97, 211}, SizePx{256, 128}, SizePx{301, 65}})
      for (const int band_rows : {2, 30, 64, 400}) {
        MovieManifest movie = movie_of(size, chroma, {48, 32});
        movie.order = band_rows == 30 ? BlockOrder::panels : BlockOrder::rows;
        const SizePx panel{100, 70};
        const PlanarPicture picture = wave_picture(size, chroma);
        FrameWriter(movie, panel).write(picture, folder.path() / "whole.tif");
        HugeFrameWriter huge(movie, panel, folder.path() / "huge.tif");
        for (int y = 0; y < size.height; y += band_rows) {
          PlanarPicture band({size.width, std::min(band_rows, size.height - y)}, chroma);
          for (std::size_t p = 0; p < band.planes.size(); ++p)
            for (int row = 0; row < band.planes[p].size_px.height; ++row)
              std::copy_n(
                  picture.planes[p].row(row + (chroma == Chroma::yuv420 && p > 0 ? y / 2 : y)),
                  band.planes[p].size_px.width, band.planes[p].row(row));
          huge.add_rows(band);
        }
        huge.finish();
        CAPTURE(static_cast<int>(chroma), size.width, band_rows);
        CHECK(read_text_file(folder.path() / "whole.tif", 1 << 24) ==
              read_text_file(folder.path() / "huge.tif", 1 << 24));
      }
}
