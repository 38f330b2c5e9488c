// The inner loop of a panel's warp: samples one row of pixels from a picture, each by bilinear
// interpolation between four pixels. Pixels are B, G, R, X bytes.
//
// Both kernels compute places by the same single-precision operations in the same order, and
// interpolate with integers. So they give the same bytes on every host.
#pragma once

#include <cstdint>

#include "wallconfigs/image_view.hpp"

namespace tilewall::panel {

/// The places of a row's pixels. Pixel i lies at ((x + i dx) / (w + i dw), (y + i dy) / (w + i dw))
/// in 128ths of a pixel, where (0, 0) is the centre of pixel (0, 0). Places outside of the picture
/// are moved to its edge.
struct WarpRow {
  float x = 0;
  float y = 0;
  float w = 1;
  float dx = 0;
  float dy = 0;
  float dw = 0;
};

/// Writes `length_px` pixels to `to`.
/// @pre `from` has sides of at least 2 pixels and less than 2 GiB; w + i dw > 0 for each pixel
using WarpRowFn = void (*)(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                           int length_px) noexcept;

/// The reference kernel, for all processors.
void warp_row_scalar(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                     int length_px) noexcept;

/// @pre the processor has AVX2
void warp_row_avx2(const WarpRow& row, const ImageView& from, std::uint8_t* to,
                   int length_px) noexcept;

/// The fastest kernel for this processor.
[[nodiscard]] WarpRowFn pick_warp_row() noexcept;

/// warp_row_scalar for the pixels [first, end) of the row; `to` is the row's first pixel.
void warp_run_scalar(const WarpRow& row, const ImageView& from, std::uint8_t* to, int first,
                     int end) noexcept;

}  // namespace tilewall::panel
