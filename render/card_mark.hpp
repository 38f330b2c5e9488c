// The marks of the test card. At every hundred canvas pixels there is a white square whose place is
// exactly known, and around it its own coordinates as black and white cells, for programs that
// check where a wall's panels show the picture.
//
// A mark is 7x7 cells of 5x5 canvas pixels about its middle pixel. The middle cell is white, the
// two rings around it are black, and the outermost ring is the code. The code's upper left corner
// is white, the other corners black; its sides hold column and row, 8 bits each, and a checksum of
// 4 bits.
#pragma once

#include <optional>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

inline constexpr int card_step_px = 100;
inline constexpr int card_mark_px = 35;  ///< Width and height of a mark

/// Column and row of a mark from 0 at the upper left, modulo 256.
struct CardPlace {
  int column = 0;
  int row = 0;
  bool operator==(const CardPlace&) const = default;
};

/// The middle pixel of a mark on the canvas; its centre is half a pixel further right and down.
[[nodiscard]] constexpr PointPx card_mark_at(CardPlace place) noexcept {
  return {card_step_px / 2 + card_step_px * place.column,
          card_step_px / 2 + card_step_px * place.row};
}

/// Whether the mark's pixel that is (dx, dy) away from its middle pixel is white.
/// @pre both within [-card_mark_px / 2, card_mark_px / 2]
[[nodiscard]] bool card_mark_is_white(CardPlace place, int dx, int dy) noexcept;

/// Where a mark is expected in a picture, which may be turned, scaled or distorted.
struct ExpectedMark {
  PointF centre_px;
  PointF across_px;  ///< Movement in the picture for one canvas pixel to the right
  PointF down_px;
};

struct SeenMark {
  CardPlace place;  ///< Place that the mark's code names
  /// Centre of the white square, between pixels: the first pixel's centre is at 0.5.
  PointF centre_px;
};

/// Reads the mark. Finds the white square where it is up to 4 canvas pixels off. Empty where there
/// is none, where the code's check bits are wrong, or where the mark is partly outside of the
/// picture.
[[nodiscard]] std::optional<SeenMark> read_card_mark(const ImageView& picture,
                                                     const ExpectedMark& expected) noexcept;

}  // namespace tilewall::render
