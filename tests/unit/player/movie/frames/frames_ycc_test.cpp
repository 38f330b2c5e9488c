#include <catch2/catch.hpp>
#include <cstring>

#include "player/movie/frames/block_codec.hpp"
#include "player/movie/frames/planes_to_bgrx.hpp"
#include "tests/support/picture.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::test;

TEST_CASE("pixels made of a block's planes are those that TurboJPEG decodes it to", "[frames]") {
  const SizePx block{1072, 48};  // wider than the piece of a row that is converted at once
  for (const Chroma chroma : {Chroma::yuv420, Chroma::yuv444, Chroma::gray})
    for (const RectPx& part : {RectPx{0, 0, 1072, 48},
                               {1, 0, 1071, 47},
                               {17, 1, 530, 2},
                               {511, 46, 3, 2},
                               {1071, 47, 1, 1},
                               {6, 11, 1024, 1}}) {
      const MovieManifest movie = movie_of(block, chroma, block);
      BlockEncoder encoder(movie);
      BlockDecoder decoder(movie);
      const auto bytes = encoder.encode(noise_picture(block, chroma, 9), {0, 0});
      PlanarPicture planes(block, chroma);
      REQUIRE(decoder.to_planes(bytes, planes, {0, 0}));
      const TestPicture expected({part.width, part.height});
      REQUIRE(decoder.to_bgrx(bytes, part, expected.view()));
      const TestPicture got({part.width, part.height});
      planes_to_bgrx(planes, part, got.view());
      CAPTURE(static_cast<int>(chroma), part.x, part.y, part.width, part.height);
      CHECK(same_pixels(got.view(), expected.view()));
      CHECK(pixel_at(got.view(), {0, 0})[3] == 255);
      CHECK(got.padding_untouched());
    }
}

TEST_CASE("a block of another size is damaged, larger ones as well", "[frames][bad-input]") {
  const SizePx size{64, 48};
  for (const Chroma chroma : {Chroma::yuv420, Chroma::yuv444, Chroma::gray})
    for (const SizePx other : {SizePx{64, 48}, {64, 64}, {64, 32}, {80, 48}, {48, 48}, {48, 64}}) {
      CAPTURE(static_cast<int>(chroma), other.width, other.height);
      BlockEncoder encoder(movie_of(other, chroma, other));
      BlockDecoder decoder(movie_of(size, chroma, size));
      const auto bytes = encoder.encode(noise_picture(other, chroma, 9), {0, 0});
      PlanarPicture planes(size, chroma);
      CHECK(decoder.to_planes(bytes, planes, {0, 0}) == (other == size));
      for (const RectPx& part : {RectPx{0, 0, 64, 48}, {5, 3, 20, 11}, {0, 8, 64, 8}}) {
        const TestPicture got({part.width, part.height});
        CHECK(decoder.to_bgrx(bytes, part, got.view()) == (other == size));
      }
    }
}

TEST_CASE("colour conversion agrees with its formula for every chroma and at every width",
          "[frames]") {
  constexpr int luma_step = 15;  // 0 to 255
  for (int luma = 0; luma <= 255; luma += luma_step)
    for (int cb = 0; cb <= 255; ++cb) {
      std::uint8_t y[256], b[256], r[256], fast[3][256], slow[3][256];
      std::memset(y, luma, 256);
      std::memset(b, cb, 256);
      for (int cr = 0; cr <= 255; ++cr) r[cr] = static_cast<std::uint8_t>(cr);
      ycc_to_rgb(y, b, r, fast[0], fast[1], fast[2], 256);
      ycc_to_rgb_reference(y, b, r, slow[0], slow[1], slow[2], 256);
      CAPTURE(luma, cb);
      REQUIRE(std::memcmp(fast, slow, sizeof fast) == 0);
    }
  const PlanarPicture noise = noise_picture({140, 1}, Chroma::yuv444, 2);
  const auto row = [&](std::size_t p) { return noise.planes[p].row(0); };
  for (int width = 0; width <= 130; ++width) {
    std::uint8_t fast[3][140] = {};
    std::uint8_t slow[3][140] = {};
    ycc_to_rgb(row(0), row(1) + 1, row(2) + 7, fast[0], fast[1] + 3, fast[2], width);
    ycc_to_rgb_reference(row(0), row(1) + 1, row(2) + 7, slow[0], slow[1] + 3, slow[2], width);
    CAPTURE(width);
    REQUIRE(std::memcmp(fast, slow, sizeof fast) == 0);
  }
}

TEST_CASE("widening chroma agrees with its formula for every part of a row", "[frames]") {
  const PlanarPicture noise = noise_picture({700, 2}, Chroma::gray, 4);
  const std::uint8_t* own = noise.planes[0].row(0);
  const std::uint8_t* other = noise.planes[0].row(1);
  for (const int width : {1, 7, 8, 40, 700})
    for (const int first : {0, 1, 9, 31, 150})
      for (const int count : {0, 1, 2, 7, 8, 9, 33, 512}) {
        if (first + count > width) continue;
        std::uint8_t fast[1040] = {};
        std::uint8_t slow[1040] = {};
        upsample_chroma(own, other, width, first, count, fast);
        upsample_chroma_reference(own, other, width, first, count, slow);
        CAPTURE(width, first, count);
        REQUIRE(std::memcmp(fast, slow, sizeof fast) == 0);
      }
}
