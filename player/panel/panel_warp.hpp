// Draws a panel's picture where its part of the canvas is no upright rectangle: on an arc seen from
// one eye point, each screen is a trapezoid. The scene is drawn flat onto the smallest rectangle
// that holds the panel's part, then each of the panel's pixels is taken from its place there.
//
// Immutable; any thread.
#pragma once

#include <optional>

#include "player/panel/warp_row.hpp"
#include "player/picture/placement.hpp"
#include "player/scene/messages.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall::panel {

class PanelWarp {
 public:
  /// `map`: from the panel's pixels as seen to a canvas of size `canvas_px`.
  PanelWarp(const wall::PanelMap& map, SizePx viewed_px, SizePx canvas_px);

  /// The part of the canvas to draw flat, in whole pixels, and the size of the picture to draw it
  /// at: canvas pixels one to one, unless the panel's own are much smaller or much larger all over.
  [[nodiscard]] const RectF& canvas_part_px() const noexcept { return part_px_; }
  [[nodiscard]] SizePx drawn_size_px() const noexcept { return drawn_px_; }

  /// From the flat picture to the panel's; linear between pixels. 2560x1600 takes 16 to 20
  /// cpu-ms (Sapphire Rapids class, AVX2).
  /// @pre of drawn_size_px() and of the viewed size, apart from each other
  void run(const ImageView& drawn, const ImageView& picture) const noexcept;

 private:
  RectF part_px_;
  SizePx drawn_px_;
  wall::PanelMap map_;  ///< from the panel's pixels to the drawn picture's
  WarpRowFn warp_row_;
};

/// What a panel draws flat in a bezel mode and a content mode, before a warp makes its picture of
/// it where one is needed.
struct FlatView {
  SizePx canvas_px;
  picture::PanelOnCanvas
      drawn;  ///< the part of the canvas, and the size of the picture it is drawn at
  std::optional<PanelWarp> warp;  ///< from there to the panel's picture; empty: it is that
};

[[nodiscard]] FlatView flat_view(const scene::PanelConfig& config, wall::BezelMode bezels,
                                 wall::ContentMode content);

}  // namespace tilewall::panel
