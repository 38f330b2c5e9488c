// A frame number as black and white blocks, for programs that look at pictures of a wall.
//
// 8 x 6 blocks in a white frame. Row 0: sync, white and black by turns, from which the reader takes
// its threshold. Rows 1 to 4: the number, most significant bit first, white = 1. Row 5: its CRC-8.
// The code has its place in proportion to the picture, so it is read at any scale that leaves a
// block 4 pixels wide and high, and through JPEG and chroma subsampling.
#pragma once

#include <cstdint>
#include <optional>

#include "wallconfigs/image_view.hpp"

namespace tilewall {

/// Paints the code where read_count_code() looks for it. @pre 0 <= number < 2^32
void paint_count_code(std::int64_t number, const ImageView& picture) noexcept;

/// The number painted into `picture`; empty where there is none, or it is damaged.
[[nodiscard]] std::optional<std::int64_t> read_count_code(const ImageView& picture) noexcept;

}  // namespace tilewall
