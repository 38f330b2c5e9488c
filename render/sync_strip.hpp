// A frame number as a strip along the edge of a picture, made for photographs of a wall.
//
// Two rows of cells, the lower one the inverse of the upper one, so that each cell can be read by
// itself in any light: a marker (white, black, black), then the number modulo 65536 in Gray code,
// highest bit first, then the marker in reverse order. From one frame to the next exactly one bit
// changes. So a photograph of a panel that was just changing has one gray cell, and still
// identifies the two frames that it saw.
#pragma once

#include <cstdint>
#include <optional>

#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

inline constexpr std::int64_t sync_strip_numbers = 65536;

/// Paints a number into `strip` of the picture.
void paint_sync_strip(std::int64_t number, const ImageView& picture, const RectPx& strip) noexcept;

/// The numbers of a strip modulo sync_strip_numbers: twice the same or, on a panel that was just
/// changing, one after the other.
struct SyncStripReading {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const SyncStripReading&) const = default;
};

/// Reads the strip that fills `strip`; empty where there is none, or where it shows more than two
/// frames.
[[nodiscard]] std::optional<SyncStripReading> read_sync_strip(const ImageView& picture,
                                                              const RectPx& strip) noexcept;

// A frame number as black and white blocks, for programs that look at pictures of a wall.
//
// 8 x 6 blocks in a white frame. Row 0: sync, white and black by turns, from which the reader takes
// its threshold. Rows 1 to 4: the number, most significant bit first, white = 1. Row 5: its CRC-8.
// The code has its place in proportion to the picture, so it is read at any scale that leaves a
// block 4 pixels wide and high, and through JPEG and chroma subsampling.

/// Paints the code where read_count_code() looks for it. @pre 0 <= number < 2^32
void paint_count_code(std::int64_t number, const ImageView& picture) noexcept;

/// The number painted into `picture`; empty where there is none, or it is damaged.
[[nodiscard]] std::optional<std::int64_t> read_count_code(const ImageView& picture) noexcept;

}  // namespace tilewall::render
