#include "player/movie/source/sm_movie.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <random>

#include "sync/base/error.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/sm_writer.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;

namespace {

constexpr SmCodec all_codecs[] = {SmCodec::raw, SmCodec::rle, SmCodec::zlib, SmCodec::lzo,
                                  SmCodec::jpeg};

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

Rgb pixel_of(const AVFrame& frame, PointPx at) {
  const std::uint8_t* const pixel = frame.data[0] + at.y * frame.linesize[0] + 3 * at.x;
  return {pixel[0], pixel[1], pixel[2]};
}

// The largest difference to what the writer painted.
int worst_difference(const AVFrame& frame, int picture) {
  int worst = 0;
  for (int y = 0; y < frame.height; ++y)
    for (int x = 0; x < frame.width; ++x) {
      const Rgb expected = sm_colour(picture, {x, y});
      const Rgb found = pixel_of(frame, {x, y});
      for (std::size_t i = 0; i < 3; ++i)
        worst = std::max(worst, std::abs(int{expected[i]} - int{found[i]}));
    }
  return worst;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    const SmMovie movie(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Opens and decodes what it can; whatever is wrong must be an InputError. Returns decoded frames.
int decode_all(const std::filesystem::path& file) {
  int decoded = 0;
  try {
    const SmMovie movie(file);
    const std::int64_t frames = std::min<std::int64_t>(movie.info().frames, 8);
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      try {
        decoded += movie.decode(frame) != nullptr ? 1 : 0;
      } catch (const InputError&) {
      }
    }
  } catch (const InputError&) {
  }
  return decoded;
}

}  // namespace

TEST_CASE("SM frames of every codec and tile layout come out upright", "[source]") {
  const TemporaryFolder folder;
  for (const SmCodec codec : all_codecs)
    for (const SizePx tile : {SizePx{48, 32}, SizePx{16, 16}, SizePx{20, 12}, SizePx{48, 8}}) {
      CAPTURE(sm_codec_name(codec), tile.width, tile.height);
      SmSpec spec;
      spec.codec = codec;
      spec.tile_px = tile;
      write_sm(spec, folder / "a.sm");
      const SmMovie movie(folder / "a.sm");
      CHECK(movie.info().fps == Rational{30, 1});
      CHECK(movie.info().frames == 3);
      CHECK(movie.info().size_px == SizePx{48, 32});
      CHECK(movie.tile_px() == tile);
      for (int frame = 0; frame < 3; ++frame)
        CHECK(worst_difference(*movie.decode(frame), frame) <= (codec == SmCodec::jpeg ? 24 : 0));
    }
}

TEST_CASE("an SM movie's tile word is understood in both orders", "[source]") {
  const TemporaryFolder folder;
  for (const SmTileOrder order : {SmTileOrder::height_width, SmTileOrder::width_height})
    for (const SizePx tile : {SizePx{48, 8}, SizePx{16, 32}, SizePx{24, 8}, SizePx{12, 16}}) {
      CAPTURE(tile.width, tile.height);
      SmSpec spec;
      spec.codec = SmCodec::zlib;
      spec.tile_px = tile;
      spec.order = order;
      write_sm(spec, folder / "a.sm");
      const SmMovie movie(folder / "a.sm");
      CHECK(movie.tile_px() == tile);
      CHECK(worst_difference(*movie.decode(2), 2) == 0);
    }
}

TEST_CASE("an SM tile lies within the frame, or is the frame", "[source]") {
  SmHeader header;
  header.version = 2;
  header.size_px = {48, 32};
  const auto tile_of = [&](std::uint32_t upper, std::uint32_t lower, SmTileOrder order) {
    header.tile_word = upper << 16 | lower;
    return sm_tile_px(header, order);
  };
  CHECK(tile_of(32, 48, SmTileOrder::height_width) == SizePx{48, 32});
  CHECK(tile_of(33, 49, SmTileOrder::height_width) == SizePx{48, 32});
  CHECK(tile_of(8, 48, SmTileOrder::height_width) == SizePx{48, 8});
  CHECK(tile_of(8, 48, SmTileOrder::width_height) == std::nullopt);
  CHECK(tile_of(8, 49, SmTileOrder::height_width) == std::nullopt);
  CHECK(tile_of(33, 47, SmTileOrder::height_width) == std::nullopt);
  CHECK(tile_of(16, 8, SmTileOrder::width_height) == SizePx{16, 8});
  CHECK(tile_of(1, 0, SmTileOrder::width_height) == std::nullopt);
  CHECK(tile_of(0, 1, SmTileOrder::width_height) == std::nullopt);
  header.version = 1;
  CHECK(sm_tile_px(header, SmTileOrder::width_height) == SizePx{48, 32});
}

TEST_CASE("an SM tile word that fits both ways is read as Blockbuster's tools write it",
          "[source]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.tile_px = {8, 16};  // 12 tiles of a frame of 48x32; so are 16x8
  write_sm(spec, folder / "a.sm");
  CHECK(SmMovie(folder / "a.sm").tile_px() == spec.tile_px);
}

TEST_CASE("the full resolution of an SM movie with several is read", "[source]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.codec = SmCodec::rle;
  spec.levels = 3;
  spec.tile_px = {16, 16};
  write_sm(spec, folder / "a.sm");
  const SmMovie movie(folder / "a.sm");
  CHECK(movie.header().levels == 3);
  for (int frame = 0; frame < 3; ++frame) CHECK(worst_difference(*movie.decode(frame), frame) == 0);
}

TEST_CASE("of a stereo SM movie the left eye's pictures are the frames", "[source]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.stereo = true;
  spec.pictures = 4;
  write_sm(spec, folder / "a.sm");
  const SmMovie movie(folder / "a.sm");
  CHECK(movie.info().frames == 2);
  CHECK(worst_difference(*movie.decode(0), 0) == 0);
  CHECK(worst_difference(*movie.decode(1), 2) == 0);
}

TEST_CASE("SM movies of version 1 and without a rate are read", "[source]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.version = 1;
  spec.codec = SmCodec::zlib;
  spec.fps_twentieths = 0;
  write_sm(spec, folder / "a.sm");
  const SmMovie movie(folder / "a.sm");
  CHECK(movie.info().fps == Rational{24, 1});
  for (int frame = 0; frame < 3; ++frame) CHECK(worst_difference(*movie.decode(frame), frame) == 0);
}

TEST_CASE("SM movies that are not read are refused by name", "[source][bad-input]") {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.sm").string();
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string changed = sm_bytes({});
    changed.replace(at, bytes.size(), bytes);
    write_bytes(file, changed);
    return refusal(file);
  };
  using namespace std::string_literals;
  CHECK(with(3, "\x3e") == file + ": version: expected 1 or 2 of the SM format, found 3");
  CHECK(with(7, "\x05") == file +
                               ": codec: expected raw (0), RLE (1), zlib (2), LZO (3) or JPEG "
                               "(4), found LZMA (5)");
  CHECK(with(7, "\x63") == file +
                               ": codec: expected raw (0), RLE (1), zlib (2), LZO (3) or JPEG "
                               "(4), found 99");
  CHECK(with(8, "\0\0\0\0"s) == file + ": frames: expected 1 to 10000000, found 0");
  CHECK(with(8, "\0\x98\x96\x80"s) == file +
                                          ": frames: expected a table of 10000000 frames in 1 "
                                          "resolutions, found a file of 14116 bytes");
  CHECK(with(12, "\0\0\0\0"s) == file +
                                     ": size: expected sides from 1 to 65535 and at most "
                                     "268000000 pixels, found 0x32");
  CHECK(with(12, "\0\0\xff\xff\0\0\xff\xff"s) == file +
                                                     ": size: expected sides from 1 to 65535 "
                                                     "and at most 268000000 pixels, found "
                                                     "65535x65535");
  CHECK(with(20, "\0\0\0\x09"s) == file + ": resolutions: expected 1 to 8, found 9");
  CHECK(with(24, "\0\0\0\0"s) == file +
                                     ": tile size: expected one within the frame's 48x32, found "
                                     "0x00000000");
  write_bytes(file, "GIF89a, or whatever else it is");
  CHECK(refusal(file) == file + ": expected an SM movie (Blockbuster), found another file");
  CHECK_FALSE(is_sm_movie(file));
  write_bytes(file, sm_bytes({}).substr(0, 100));
  CHECK(refusal(file) == file + ": expected a header of 256 bytes, found a file of 100");
  CHECK(is_sm_movie(file));
}

TEST_CASE("damage in an SM frame is told for that frame alone", "[source][bad-input]") {
  const TemporaryFolder folder;
  SmSpec spec;
  spec.codec = SmCodec::zlib;
  spec.tile_px = {16, 16};
  std::string bytes = sm_bytes(spec);
  const std::string file = (folder / "a.sm").string();
  write_bytes(file, bytes.substr(0, bytes.size() - 1));
  const SmMovie cut(file);
  CHECK(cut.decode(1) != nullptr);
  CHECK_THROWS_WITH(cut.decode(2), Catch::Contains("a.sm: frame 2: expected") &&
                                       Catch::Contains("found a file of"));
  bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 0x55);
  write_bytes(file, bytes);
  CHECK_THROWS_WITH(SmMovie(file).decode(2),
                    Catch::Contains("frame 2: expected intact zlib data in tile 5, found damage"));
}

TEST_CASE("no cut or flipped bit of an SM movie does more than an error", "[source][bad-input]") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.sm";
  std::mt19937 random(7);
  int decoded = 0;
  for (const SmCodec codec : all_codecs) {
    SmSpec spec;
    spec.codec = codec;
    spec.size_px = {24, 16};
    spec.tile_px = {10, 6};
    spec.levels = 2;
    spec.pictures = 2;
    const std::string bytes = sm_bytes(spec);
    for (std::size_t size = 0; size < bytes.size(); size += size < 320 ? 1 : 37) {
      write_bytes(file, bytes.substr(0, size));
      decoded += decode_all(file);
    }
    for (int round = 0; round < 400; ++round) {
      std::string changed = bytes;
      const std::size_t range = round % 2 == 0 ? 330 : changed.size();  // heads more often
      for (int flips = 0; flips < 3; ++flips) {
        const std::size_t at = random() % range;
        changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
      }
      write_bytes(file, changed);
      decoded += decode_all(file);
    }
  }
  CHECK(decoded > 100);  // most flips leave a frame that decodes
}

TEST_CASE("Blockbuster's own sample is a red and a green frame", "[source]") {
  const std::filesystem::path file = shared_data("movies/blockbuster-sm/rg_stereo.sm");
  if (file.empty()) return;
  const SmMovie movie(file);
  CHECK(movie.header().stereo);
  CHECK(movie.header().codec == SmCodec::zlib);
  CHECK(movie.tile_order() == SmTileOrder::height_width);
  CHECK(movie.tile_px() == SizePx{1920, 1080});
  CHECK(movie.info().fps == Rational{30, 1});
  CHECK(movie.info().frames == 1);
  CHECK(pixel_of(*movie.decode(0), {960, 540}) == Rgb{255, 0, 0});
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const TemporaryFolder folder;
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    std::string changed = bytes;
    const std::size_t at = random() % (round % 2 == 0 ? 320 : bytes.size());
    changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
    write_bytes(folder / "a.sm", changed.substr(0, bytes.size() - random() % 50 * 100));
    CHECK(decode_all(folder / "a.sm") <= 2);
  }
}
