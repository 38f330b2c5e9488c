#include "render/paint.hpp"

#include <array>
#include <cstring>

namespace tilewall::render {
namespace {

RectPx clipped(const ImageView& picture, const RectPx& rect) noexcept {
  return intersection(rect, {0, 0, picture.size_px.width, picture.size_px.height});
}

constexpr int whole_share = 1 << 16;

std::uint8_t mixed_channel(int a, int b, int share) noexcept {
  return static_cast<std::uint8_t>(a + (((b - a) * share + whole_share / 2) >> 16));
}

}  // namespace

Rgb mixed(Rgb a, Rgb b, double share) noexcept {
  if (share <= 0) return a;
  // In whole numbers: std::lround for every channel would take most of a pattern's time.
  const int part = static_cast<int>(share * whole_share);
  return {mixed_channel(a.red, b.red, part), mixed_channel(a.green, b.green, part),
          mixed_channel(a.blue, b.blue, part)};
}

void fill(const ImageView& picture, const RectPx& rect, Rgb color) noexcept {
  const RectPx inside = clipped(picture, rect);
  std::array<std::uint8_t, 4> pixel;
  set_pixel(pixel.data(), color);
  for (int y = inside.y; y < inside.bottom(); ++y)
    for (int x = inside.x; x < inside.right(); ++x)
      std::memcpy(picture.pixel(x, y), pixel.data(), pixel.size());
}

void fill(const ImageView& picture, Rgb color) noexcept {
  fill(picture, {0, 0, picture.size_px.width, picture.size_px.height}, color);
}

void tint(const ImageView& picture, const RectPx& rect, Rgb color, double share) noexcept {
  // Mixing channels by tables takes less than half of the time of computing each one.
  std::array<Rgb, 256> of_level;
  for (int level = 0; level < 256; ++level) {
    const auto grey = static_cast<std::uint8_t>(level);
    of_level[static_cast<std::size_t>(level)] = mixed({grey, grey, grey}, color, share);
  }
  const RectPx inside = clipped(picture, rect);
  for (int y = inside.y; y < inside.bottom(); ++y) {
    for (int x = inside.x; x < inside.right(); ++x) {
      std::uint8_t* pixel = picture.pixel(x, y);
      set_pixel(pixel, {of_level[pixel[2]].red, of_level[pixel[1]].green, of_level[pixel[0]].blue});
    }
  }
}

void outline(const ImageView& picture, const RectPx& rect, int width_px, Rgb color) noexcept {
  fill(picture, {rect.x, rect.y, rect.width, width_px}, color);
  fill(picture, {rect.x, rect.bottom() - width_px, rect.width, width_px}, color);
  fill(picture, {rect.x, rect.y, width_px, rect.height}, color);
  fill(picture, {rect.right() - width_px, rect.y, width_px, rect.height}, color);
}

}  // namespace tilewall::render
