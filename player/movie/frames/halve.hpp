// Halves planes for the pyramid: each sample is the mean of 2x2 samples of the level above.
#pragma once

#include "player/movie/frames/planar_picture.hpp"

namespace tilewall {

/// dst[x] = (upper[2x] + upper[2x+1] + lower[2x] + lower[2x+1] + 2) / 4 for x < ceil(src_width /
/// 2); a missing last column counts its neighbour twice. `upper` and `lower` may be the same row.
void halve_rows(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                int src_width) noexcept;

/// The same, as the formula reads; what tests compare halve_rows with.
void halve_rows_reference(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                          int src_width) noexcept;

/// Halves the first `rows` rows of every plane into `dst` from its luma row `dst_y` on. A missing
/// last row counts its neighbour twice. `rows` counts luma rows; even unless they are the picture's
/// last ones, and `dst_y` is even. @pre dst has the halved width and room for the rows
void halve_picture_rows(const PlanarPicture& src, int rows, PlanarPicture& dst, int dst_y) noexcept;

/// The next level of the pyramid: ceil(size / 2).
[[nodiscard]] PlanarPicture halved(const PlanarPicture& picture);

}  // namespace tilewall
