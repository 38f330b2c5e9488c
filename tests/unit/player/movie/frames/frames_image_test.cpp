#include <png.h>
#include <sys/resource.h>
#include <tiffio.h>
#include <turbojpeg.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>

#include "player/movie/frames/image_sequence.hpp"
#include "player/picture/draw_counters.hpp"
#include "player/picture/draw_parameters.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/unit/player/movie/frames/frames_support.hpp"

using namespace tilewall;
using namespace tilewall::movie;
using namespace tilewall::picture;
using namespace tilewall::test;

namespace {

using Bgrx = std::array<int, 4>;

struct DrawnPicture {
  SizePx size;
  std::vector<std::uint8_t> bytes;
  explicit DrawnPicture(SizePx size_, std::uint8_t fill = 77)
      : size(size_), bytes(std::size_t(size_.width) * std::size_t(size_.height) * 4, fill) {}
  [[nodiscard]] ImageView view() { return {bytes.data(), size, std::size_t(size.width) * 4}; }
  [[nodiscard]] Bgrx at(int x, int y) const {
    const std::uint8_t* p =
        bytes.data() + (std::size_t(y) * std::size_t(size.width) + std::size_t(x)) * 4;
    return {p[0], p[1], p[2], p[3]};
  }
};

/// Draws the only image of a sequence pixel for pixel.
DrawnPicture drawn(const std::filesystem::path& file, SizePx size) {
  DrawnPicture picture(size);
  const auto source = open_image_sequence({file}, 1);
  REQUIRE(source->size_px() == size);
  REQUIRE(source->draw(0, {whole(size), whole(size)}, picture.view(), nullptr) ==
          DrawStatus::whole);
  return picture;
}

void write_png(const std::filesystem::path& file, png_uint_32 format, SizePx size,
               const void* pixels, const void* colors = nullptr, png_uint_32 color_count = 0) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(size.width);
  image.height = png_uint_32(size.height);
  image.format = format;
  image.colormap_entries = color_count;
  REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, pixels, 0, colors) != 0);
}

/// A smooth picture, R, G, B.
std::vector<std::uint8_t> smooth_rgb(SizePx size) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int i = 0; i < 3; ++i)
        rgb.push_back(std::uint8_t(128 + 60 * std::sin(0.05 * x * (i + 1)) * std::cos(0.04 * y)));
  return rgb;
}

void write_jpeg(const std::filesystem::path& file, SizePx size, int subsampling) {
  const auto rgb = smooth_rgb(size);
  const tjhandle jpeg = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  REQUIRE(tjCompress2(jpeg, rgb.data(), size.width, 0, size.height, TJPF_RGB, &bytes, &count,
                      subsampling, 95, 0) == 0);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes), std::streamsize(count));
  tjFree(bytes);
  tjDestroy(jpeg);
}

void write_tiff(const std::filesystem::path& file, SizePx size, bool tiled, int compression) {
  const auto rgb = smooth_rgb(size);
  TIFF* tiff = TIFFOpen(file.c_str(), "w");
  REQUIRE(tiff != nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, size.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, size.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  const int step = tiled ? 32 : 7;
  if (tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, step);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, step);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, step);
  }
  const auto row = [&](int y) { return rgb.data() + std::size_t(y) * std::size_t(size.width) * 3; };
  if (!tiled)
    for (int y = 0; y < size.height; ++y)
      TIFFWriteScanline(tiff, const_cast<std::uint8_t*>(row(y)), std::uint32_t(y));
  for (int ty = 0; tiled && ty < size.height; ty += step)
    for (int tx = 0; tx < size.width; tx += step) {
      std::vector<std::uint8_t> tile(std::size_t(step * step * 3));
      for (int y = 0; y < step && ty + y < size.height; ++y)
        std::memcpy(tile.data() + y * step * 3, row(ty + y) + tx * 3,
                    std::size_t(std::min(step, size.width - tx)) * 3);
      TIFFWriteTile(tiff, tile.data(), std::uint32_t(tx), std::uint32_t(ty), 0, 0);
    }
  TIFFClose(tiff);
}

void check_smooth(const DrawnPicture& picture, int tolerance) {
  const auto rgb = smooth_rgb(picture.size);
  for (int y = 0; y < picture.size.height; ++y)
    for (int x = 0; x < picture.size.width; ++x) {
      const std::uint8_t* expected =
          rgb.data() + (std::size_t(y) * std::size_t(picture.size.width) + std::size_t(x)) * 3;
      const Bgrx pixel = picture.at(x, y);
      for (std::size_t i = 0; i < 3; ++i)
        REQUIRE(std::abs(pixel[i] - expected[2 - i]) <= tolerance);
      REQUIRE(pixel[3] == 255);
    }
}

}  // namespace

TEST_CASE("PNG of every kind becomes the same pixels", "[frames][images]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.png";
  const SizePx size{2, 1};
  SECTION("colour") {
    const std::uint8_t rgb[] = {1, 2, 3, 40, 50, 60};
    write_png(file, PNG_FORMAT_RGB, size, rgb);
    const DrawnPicture picture = drawn(file, size);
    CHECK(picture.at(0, 0) == Bgrx{3, 2, 1, 255});
    CHECK(picture.at(1, 0) == Bgrx{60, 50, 40, 255});
  }
  SECTION("alpha over black") {
    const std::uint8_t rgba[] = {100, 200, 50, 128, 9, 9, 9, 0};
    write_png(file, PNG_FORMAT_RGBA, size, rgba);
    const DrawnPicture picture = drawn(file, size);
    CHECK(picture.at(0, 0) == Bgrx{25, 100, 50, 255});
    CHECK(picture.at(1, 0) == Bgrx{0, 0, 0, 255});
  }
  SECTION("gray") {
    const std::uint8_t gray[] = {7, 250};
    write_png(file, PNG_FORMAT_GRAY, size, gray);
    CHECK(drawn(file, size).at(1, 0) == Bgrx{250, 250, 250, 255});
  }
  SECTION("palette") {
    const std::uint8_t colors[] = {10, 20, 30, 200, 100, 50};
    const std::uint8_t indexes[] = {1, 0};
    write_png(file, PNG_FORMAT_RGB_COLORMAP, size, indexes, colors, 2);
    const DrawnPicture picture = drawn(file, size);
    CHECK(picture.at(0, 0) == Bgrx{50, 100, 200, 255});
    CHECK(picture.at(1, 0) == Bgrx{30, 20, 10, 255});
  }
  SECTION("16 bits") {
    const std::uint16_t rgb[] = {0, 65535, 0, 65535, 0, 0};
    write_png(file, PNG_FORMAT_LINEAR_RGB, size, rgb);
    const DrawnPicture picture = drawn(file, size);
    CHECK(picture.at(0, 0) == Bgrx{0, 255, 0, 255});
    CHECK(picture.at(1, 0) == Bgrx{0, 0, 255, 255});
  }
}

TEST_CASE("JPEG and TIFF come out as they went in", "[frames][images]") {
  const TemporaryFolder folder;
  for (const int subsampling : {TJSAMP_420, TJSAMP_422, TJSAMP_444}) {
    write_jpeg(folder.path() / "a.jpg", {123, 77}, subsampling);
    check_smooth(drawn(folder.path() / "a.jpg", {123, 77}), 12);
  }
  for (const bool tiled : {false, true})
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
      write_tiff(folder.path() / "a.tif", {123, 77}, tiled, compression);
      check_smooth(drawn(folder.path() / "a.tif", {123, 77}), 0);
    }
}

TEST_CASE("images scale alike whatever their kind", "[frames][images]") {
  const TemporaryFolder folder;
  const SizePx size{400, 300};
  write_jpeg(folder.path() / "a.jpg", size, TJSAMP_444);
  write_tiff(folder.path() / "a.tif", size, false, COMPRESSION_LZW);
  for (const SizePx shown : {SizePx{200, 150}, SizePx{130, 97}, SizePx{40, 30}, SizePx{700, 500}}) {
    DrawnPicture jpeg(shown), tiff(shown);
    const Placement placement{whole(size), whole(shown)};
    open_image_sequence({folder.path() / "a.jpg"}, 2)->draw(0, placement, jpeg.view(), nullptr);
    open_image_sequence({folder.path() / "a.tif"}, 2)->draw(0, placement, tiff.view(), nullptr);
    double error = 0;
    for (std::size_t i = 0; i < jpeg.bytes.size(); ++i)
      error += std::pow(double(jpeg.bytes[i]) - tiff.bytes[i], 2);
    CAPTURE(shown.width);
    CHECK(psnr_db(error, double(jpeg.bytes.size())) >= 34);
  }
}

TEST_CASE("a gap, a missing and a damaged image leave the last good picture",
          "[frames][bad-input]") {
  const TemporaryFolder folder;
  const SizePx size{64, 48};
  for (int i = 0; i < 3; ++i)
    write_jpeg(folder.path() / ("a" + std::to_string(i) + ".jpg"), size, TJSAMP_420);
  std::string cut = read_text_file(folder.path() / "a2.jpg", 1 << 20);
  cut.resize(cut.size() / 2);
  std::ofstream(folder.path() / "a2.jpg", std::ios::binary) << cut;
  write_jpeg(folder.path() / "other.jpg", {32, 48}, TJSAMP_420);
  const auto source = open_image_sequence({"", folder.path() / "a1.jpg", folder.path() / "a2.jpg",
                                           folder.path() / "none.jpg", folder.path() / "other.jpg"},
                                          1);
  DrawnPicture picture(size), last_good(size, 200);
  const ImageView last_view = last_good.view();
  const Placement placement{whole(size), whole(size)};
  for (const std::int64_t frame : {0, 2, 3, 4, 5, -1}) {
    CAPTURE(frame);
    CHECK(source->draw(frame, placement, picture.view(), &last_view) == DrawStatus::damaged);
    CHECK(picture.at(10, 10) == Bgrx{200, 200, 200, 200});
  }
  CHECK(source->draw(1, placement, picture.view(), &last_view) == DrawStatus::whole);
  CHECK(source->counters().damaged_frames == 6);
  CHECK(source->counters().damage == scene::FrameDamage::none);
  const auto damage_of = [&](std::int64_t frame) {
    static_cast<void>(source->draw(frame, placement, picture.view(), &last_view));
    return source->counters().damage.load();
  };
  CHECK(damage_of(2) == scene::FrameDamage::repeated);  // half of a file
  CHECK(damage_of(3) == scene::FrameDamage::missing);
  CHECK(damage_of(4) == scene::FrameDamage::repeated);  // of another size
}

TEST_CASE("what is no image is refused by name", "[frames][bad-input]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "text.png") << "not a picture";
  std::ofstream(folder.path() / "empty.jpg");
  CHECK_THROWS_WITH(open_image_sequence({folder.path() / "text.png"}, 1),
                    Catch::EndsWith("expected a JPEG, PNG or TIFF image, found something else"));
  CHECK_THROWS_AS(open_image_sequence({folder.path() / "empty.jpg"}, 1), InputError);
  CHECK_THROWS_AS(open_image_sequence({folder.path()}, 1), InputError);
  CHECK_THROWS_AS(open_image_sequence({"", ""}, 1), InputError);
  CHECK_THROWS_AS(open_image_sequence({}, 1), InputError);
}

TEST_CASE("a TIFF without a row or a column is refused as damaged", "[frames][bad-input]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.tif";
  write_tiff(file, {7, 5}, false, COMPRESSION_NONE);
  const std::string sound = read_text_file(file, 1 << 20);
  // Width and height stand in the first two entries of 12 bytes: tag, type, count, value.
  const auto write = [&](std::uint32_t width, std::uint32_t height) {
    std::string bytes = sound;
    std::uint32_t directory = 0;
    std::memcpy(&directory, bytes.data() + 4, 4);
    char* entry = bytes.data() + directory + 2;
    for (const std::uint32_t value : {width, height}) {
      const std::uint16_t type = TIFF_LONG;
      std::memcpy(entry + 2, &type, 2);
      std::memcpy(entry + 8, &value, 4);
      entry += 12;
    }
    std::ofstream(file, std::ios::binary) << bytes;
  };
  write(7, 5);
  CHECK(open_image_sequence({file}, 1)->size_px() == SizePx{7, 5});
  for (const auto& [width, height] : {std::pair(0U, 5U), std::pair(7U, 0U),
                                      std::pair(0x80000000U, 1U), std::pair(1U, 0x80000000U)}) {
    CAPTURE(width, height);
    write(width, height);
    CHECK_THROWS_WITH(open_image_sequence({file}, 1),
                      Catch::EndsWith("expected a whole image in gray or colour, found a header "
                                      "that is damaged or of another kind"));
  }
}

TEST_CASE("truncated images of every kind are survived", "[frames][bad-input]") {
  const TemporaryFolder folder;
  const SizePx size{61, 47};
  const auto rgb = smooth_rgb(size);
  write_jpeg(folder.path() / "a.jpg", size, TJSAMP_420);
  write_png(folder.path() / "a.png", PNG_FORMAT_RGB, size, rgb.data());
  write_tiff(folder.path() / "a.tif", size, true, COMPRESSION_LZW);
  DrawnPicture picture(size);
  for (const char* name : {"a.jpg", "a.png", "a.tif"}) {
    const auto file = folder.path() / name;
    const std::string bytes = read_text_file(file, 1 << 20);
    const auto source = open_image_sequence({file, file}, 1);
    for (std::size_t length = 0; length + 16 < bytes.size(); length += 23) {
      std::ofstream(file, std::ios::binary) << bytes.substr(0, length);
      CAPTURE(name, length);
      CHECK(source->draw(0, {whole(size), whole(size)}, picture.view(), nullptr) ==
            DrawStatus::damaged);
    }
  }
}

TEST_CASE("the corpora of corrupt images are read or refused, soon and in little memory",
          "[frames][bad-input][corpus]") {
  const std::filesystem::path corrupt = shared_data("corrupt");
  if (corrupt.empty()) return;
  int files = 0, refused = 0, damaged = 0;
  for (const char* kind : {"jpeg", "png", "tiff"})
    for (const auto& entry : std::filesystem::directory_iterator(corrupt / kind)) {
      ++files;
      CAPTURE(entry.path().string());
      const auto start = std::chrono::steady_clock::now();
      try {
        const auto source = open_image_sequence({entry.path()}, 1);
        for (const SizePx size : {SizePx{320, 256}, source->size_px()}) {
          if (size.width > 4000 || size.height > 4000) continue;
          DrawnPicture picture(size);
          damaged += source->draw(0, {whole(source->size_px()), whole(size)}, picture.view(),
                                  nullptr) == DrawStatus::damaged;
        }
      } catch (const InputError& error) {
        ++refused;
        CHECK(std::string(error.what()).find(entry.path().string()) == 0);
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      if (took.count() > 1) WARN(entry.path() << " took " << took.count() << " s");
    }
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  std::cout << files << " corrupt images: " << refused << " refused, " << damaged
            << " draws damaged, peak memory " << usage.ru_maxrss / 1024 << " MiB\n";
  CHECK(files > 0);
}
