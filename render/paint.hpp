// Painting into pictures: colours, blending, rectangles. Everything is clipped to the picture.
#pragma once

#include <cstdint>

#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

/// A colour in display values, 0 to 255.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Rgb&) const = default;
};

inline constexpr Rgb black = {0, 0, 0};
inline constexpr Rgb white = {255, 255, 255};

inline void set_pixel(std::uint8_t* bgrx, Rgb color) noexcept {
  bgrx[0] = color.blue;
  bgrx[1] = color.green;
  bgrx[2] = color.red;
  bgrx[3] = 255;
}

/// Mixes `share` of b with the rest of a; 0 <= share <= 1.
[[nodiscard]] Rgb mixed(Rgb a, Rgb b, double share) noexcept;

void fill(const ImageView& picture, const RectPx& rect, Rgb color) noexcept;
void fill(const ImageView& picture, Rgb color) noexcept;

/// Blends `share` of `color` into the rectangle.
void tint(const ImageView& picture, const RectPx& rect, Rgb color, double share) noexcept;

/// Paints the outermost pixels of `rect`, `width_px` wide.
void outline(const ImageView& picture, const RectPx& rect, int width_px, Rgb color) noexcept;

}  // namespace tilewall::render
