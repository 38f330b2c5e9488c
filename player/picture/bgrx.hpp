// Kernels over rows of B, G, R, X bytes, the pixels of ImageView.
#pragma once

#include <cstdint>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::picture {

/// dst[x] = (blue[x], green[x], red[x], 255). Any alignment, no overlap.
void pack_bgrx_row(const std::uint8_t* red, const std::uint8_t* green, const std::uint8_t* blue,
                   std::uint8_t* dst, int width) noexcept;

/// The same, as the formula reads; what tests compare pack_bgrx_row with.
void pack_bgrx_row_reference(const std::uint8_t* red, const std::uint8_t* green,
                             const std::uint8_t* blue, std::uint8_t* dst, int width) noexcept;

/// The other way round; X is dropped.
void unpack_bgrx_row(const std::uint8_t* src, std::uint8_t* red, std::uint8_t* green,
                     std::uint8_t* blue, int width) noexcept;

void fill_black(const ImageView& picture, const RectPx& rect) noexcept;

/// Blackens what lies outside `rect`. @pre rect lies in the picture or is empty
void fill_black_around(const ImageView& picture, const RectPx& rect) noexcept;

/// Copies `rect` from the same place of `from`; black where `from` is null or of another size.
void copy_or_blacken(const ImageView* from, const ImageView& picture, const RectPx& rect) noexcept;

/// The part of a picture as a picture of its own. @pre rect lies in the picture
[[nodiscard]] inline ImageView part_of(const ImageView& picture, const RectPx& rect) noexcept {
  return {picture.row(rect.y) + static_cast<std::size_t>(rect.x) * 4,
          {rect.width, rect.height},
          picture.stride_bytes};
}

}  // namespace tilewall::picture
