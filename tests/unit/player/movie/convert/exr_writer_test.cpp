// EXR images: half floats, and what another reader finds in a file.

#include "player/movie/convert/exr_writer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/exr_picture.hpp"

using namespace tilewall;
using namespace tilewall::movie;

TEST_CASE("floats become the nearest half floats", "[exr]") {
  CHECK(half_of(0) == 0);
  CHECK(half_of(-0.0F) == 0x8000);
  CHECK(half_of(1) == 0x3c00);
  CHECK(half_of(-2) == 0xc000);
  CHECK(half_of(65504) == 0x7bff);
  CHECK(half_of(65519) == 0x7bff);
  CHECK(half_of(65520) == 0x7c00);
  CHECK(half_of(std::numeric_limits<float>::infinity()) == 0x7c00);
  CHECK(half_of(-1e30F) == 0xfc00);
  CHECK((half_of(std::numeric_limits<float>::quiet_NaN()) & 0x7fff) > 0x7c00);
  // Ties go to the even one: 1 + 1/2048 lies between 1 and 1 + 1/1024.
  CHECK(half_of(1 + 1.0F / 2048) == 0x3c00);
  CHECK(half_of(1 + 3.0F / 2048) == 0x3c02);
  // The least normal one, and below it steps of 2^-24.
  CHECK(half_of(std::ldexp(1.0F, -14)) == 0x0400);
  CHECK(half_of(std::ldexp(1.0F, -24)) == 1);
  CHECK(half_of(std::ldexp(1.0F, -25)) == 0);
  CHECK(half_of(std::ldexp(3.0F, -25)) == 2);
  CHECK(half_of(std::nextafter(std::ldexp(1.0F, -14), 0.0F)) == 0x0400);
}

TEST_CASE("an EXR image has the pixels, opacities and depths of its picture", "[exr]") {
  const SizePx size = GENERATE(SizePx{1, 1}, SizePx{7, 16}, SizePx{33, 50});
  const bool is_noise = GENERATE(false, true);  // noise is stored as it is, the rest compressed
  CAPTURE(size.width, size.height, is_noise);
  std::mt19937 random(7);
  AvFrame picture = new_float_picture(size);
  CHECK(std::isinf(float_row(picture, size.height - 1).depth.back()));
  CHECK(float_row(picture, 0).opacity[0] == 0);
  for (int y = 0; y < size.height; ++y) {
    const FloatRow row = float_row(picture, y);
    for (std::size_t x = 0; x < row.red.size(); ++x) {
      // Eighths are exact as half floats.
      const auto eighths = [&](int at) {
        return static_cast<float>(is_noise ? static_cast<int>(random() % 2048) : at) / 8;
      };
      const auto column = static_cast<int>(x);
      row.red[x] = eighths(column);
      row.green[x] = eighths(y);
      row.blue[x] = eighths(column + y);
      row.opacity[x] = eighths(8);
      if (x % 2 == 0) row.depth[x] = static_cast<float>(random()) / 3;
    }
  }
  const std::string bytes = encode_exr(*picture.get());
  const ExrPicture read = exr_of(bytes);
  CHECK(read.size_px == size);
  CHECK(read.types == std::map<std::string, int>{{"A", 1}, {"B", 1}, {"G", 1}, {"R", 1}, {"Z", 2}});
  CHECK(read.attributes.at("compression") == "\x03");
  CHECK(read.attributes.at("displayWindow") == read.attributes.at("dataWindow"));
  int wrong = 0;
  for (int y = 0; y < size.height; ++y) {
    const FloatRow row = float_row(picture, y);
    for (std::size_t x = 0; x < row.red.size(); ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * row.red.size() + x;
      const auto is = [&](const char* channel, float value) {
        return read.channels.at(channel)[at] == value;
      };
      if (!is("R", row.red[x]) || !is("G", row.green[x]) || !is("B", row.blue[x]) ||
          !is("A", row.opacity[x]) || !is("Z", row.depth[x]))
        ++wrong;
    }
  }
  CHECK(wrong == 0);
}
