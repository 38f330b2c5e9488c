// The inner loop of a panel's warp: one row of pixels, each from its place in another picture,
// between four of that picture's pixels.
//
// Both versions do the same single-precision operations in the same order, and whole numbers from
// there on: they give the same bytes on every machine.
#pragma once

#include <cstdint>

#include "wallconfigs/image_view.hpp"

namespace tilewall::panel {

/// Pixel i of the row takes the place ((x + i dx) / (w + i dw), (y + i dy) / (w + i dw)), in 128ths
/// of a pixel; pixel (0, 0)'s centre is the place (0, 0). Places outside of the picture are moved
/// to its edge.
struct WarpRow {
  float x = 0;
  float y = 0;
  float w = 1;
  float dx = 0;
  float dy = 0;
  float dw = 0;
};

/// The sides of `from` are at least 2, and it has less than 2 GiB; w stays above 0.
using WarpRowFn = void (*)(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                           int length_px) noexcept;

/// The reference; runs everywhere.
void warp_row_scalar(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                     int length_px) noexcept;

/// @pre the processor has AVX2
void warp_row_avx2(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                   int length_px) noexcept;

/// The fastest that this processor runs.
[[nodiscard]] WarpRowFn pick_warp_row() noexcept;

/// As warp_row_scalar, of the pixels [first, end) only.
void warp_run_scalar(const WarpRow& row, const ImageView& from, std::uint8_t* to, int first,
                     int end) noexcept;

}  // namespace tilewall::panel
