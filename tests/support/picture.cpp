#include "tests/support/picture.hpp"

#include <png.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

namespace tilewall {
namespace {
constexpr std::size_t guard_bytes = 12;
constexpr std::uint8_t guard_value = 0xa5;
}  // namespace

Bgrx pixel_at(const ImageView& picture, PointPx at) {
  Bgrx pixel{};
  std::memcpy(pixel.data(), picture.pixel(at.x, at.y), 4);
  return pixel;
}

TestPicture::TestPicture(SizePx size_px)
    : size_px_(size_px),
      stride_bytes_(static_cast<std::size_t>(size_px.width) * 4 + guard_bytes),
      bytes_(stride_bytes_ * static_cast<std::size_t>(size_px.height), guard_value) {}

ImageView TestPicture::view() const { return {bytes_.data(), size_px_, stride_bytes_}; }

bool TestPicture::padding_untouched() const {
  for (int y = 0; y < size_px_.height; ++y) {
    const std::uint8_t* end = view().row(y) + stride_bytes_;
    if (!std::all_of(end - guard_bytes, end, [](auto byte) { return byte == guard_value; }))
      return false;
  }
  return true;
}

bool TestPicture::all_painted() const {
  for (int y = 0; y < size_px_.height; ++y)
    for (int x = 0; x < size_px_.width; ++x)
      if (view().pixel(x, y)[3] != 255) return false;
  return true;
}

TestPicture random_picture(SizePx size_px, unsigned seed) {
  TestPicture picture(size_px);
  std::mt19937 random(seed);
  for (int y = 0; y < size_px.height; ++y) {
    for (int x = 0; x < size_px.width; ++x) {
      const std::uint32_t pixel = static_cast<std::uint32_t>(random()) | 0xff000000U;
      std::memcpy(picture.view().pixel(x, y), &pixel, 4);
    }
  }
  return picture;
}

bool same_pixels(const ImageView& a, const ImageView& b) {
  if (a.size_px != b.size_px) return false;
  for (int y = 0; y < a.size_px.height; ++y)
    for (int x = 0; x < a.size_px.width; ++x)
      if (!std::equal(a.pixel(x, y), a.pixel(x, y) + 3, b.pixel(x, y))) return false;
  return true;
}

TestPicture read_png(const std::filesystem::path& file) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0)
    throw std::runtime_error(file.string() + ": " + image.message);
  image.format = PNG_FORMAT_BGRA;
  TestPicture picture({static_cast<int>(image.width), static_cast<int>(image.height)});
  const ImageView view = picture.view();
  if (png_image_finish_read(&image, nullptr, view.pixels, static_cast<int>(view.stride_bytes),
                            nullptr) == 0)
    throw std::runtime_error(file.string() + ": " + image.message);
  return picture;
}

}  // namespace tilewall
