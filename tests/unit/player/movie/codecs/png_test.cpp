#include <png.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "player/movie/codecs/png_reader.hpp"
#include "player/movie/codecs/png_writer.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using tilewall::test::TemporaryFolder;

namespace {

std::vector<std::uint8_t> smooth_samples(std::size_t count) {
  std::vector<std::uint8_t> samples(count);
  for (std::size_t i = 0; i < count; ++i) samples[i] = static_cast<std::uint8_t>(i * i >> 9);
  return samples;
}

/// As libpng's own short interface writes it when it is asked to be fast.
std::string encoded_by_libpng(const PngPicture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.size_px.width);
  image.height = static_cast<png_uint_32>(picture.size_px.height);
  image.format = picture.layout == PngPixels::gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  std::vector<std::uint8_t> out(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t bytes = out.size();
  REQUIRE(png_image_write_to_memory(&image, out.data(), &bytes, 0, picture.pixels,
                                    static_cast<png_int_32>(picture.stride_bytes), nullptr) != 0);
  return {reinterpret_cast<const char*>(out.data()), bytes};
}

}  // namespace

TEST_CASE("a PNG snapshot is written whole or not at all", "[movie][codecs]") {
  const TemporaryFolder folder;
  const TestPicture picture = random_picture({31, 17}, 3);
  write_snapshot(picture.view(), folder / "a.png");
  CHECK(same_pixels(read_png(folder / "a.png").view(), picture.view()));
  CHECK_THROWS_AS(write_snapshot(picture.view(), folder / "none" / "a.png"), JobError);
  CHECK_THROWS_WITH(write_snapshot(ImageView{}, folder / "b.png"), Catch::Contains("no picture"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an unfiltered PNG that is tagged sRGB has the bytes that libpng writes by itself",
          "[movie][codecs]") {
  for (const PngPixels layout : {PngPixels::gray, PngPixels::rgb}) {
    const SizePx size{203, 97};
    const std::size_t stride = 203U * (layout == PngPixels::gray ? 1 : 3) + 5;
    const auto samples = smooth_samples(stride * 97);
    PngPicture picture{samples.data(), size, stride, layout};
    picture.is_srgb = true;
    CHECK(encode_png(picture, "a") == encoded_by_libpng(picture));
  }
}

TEST_CASE("a PNG of no width is refused by libpng, and the error begins with the name",
          "[movie][codecs]") {
  const std::uint8_t pixel[3] = {};
  const PngPicture picture{pixel, {0, 1}, 3, PngPixels::rgb};
  CHECK_THROWS_WITH(encode_png(picture, "a.png"), Catch::StartsWith("a.png: "));
}

TEST_CASE("reading a cut PNG ends with a message and no more rows", "[movie][codecs]") {
  const TemporaryFolder folder;
  const SizePx size{64, 48};
  const auto samples = smooth_samples(64U * 48 * 3);
  const std::string whole = encode_png({samples.data(), size, 64U * 3, PngPixels::rgb}, "a");
  write_file_atomically(folder / "a.png", std::string_view(whole).substr(0, whole.size() / 2));
  const UniqueFd fd = open_for_reading(folder / "a.png");
  PngReader png(fd.get());
  REQUIRE(png.read_header());
  CHECK(png.size_px() == size);
  CHECK_FALSE(png.interlaced());
  CHECK_FALSE(png.has_alpha());
  REQUIRE(png.convert_to(PngSamples::stored));
  CHECK(png.channels() == 3);
  CHECK(png.row_bytes() == 64U * 3);
  std::vector<std::uint8_t> row(png.row_bytes());
  int rows = 0;
  while (rows < size.height && png.read_row(row.data())) {
    CHECK(std::equal(row.begin(), row.end(), samples.begin() + rows * 64 * 3));
    ++rows;
  }
  CHECK(rows < size.height);
  CHECK(std::string(png.error_text()) == "Read Error");
  CHECK(png.read_bytes() == whole.size() / 2);
}
