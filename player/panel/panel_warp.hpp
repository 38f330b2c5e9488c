// Warps the picture of a panel whose part of the canvas is no upright rectangle: on an arc seen
// from one eye point, each screen is a trapezoid. The scene is first drawn flat onto the smallest
// rectangle around the panel's part. Each pixel of the panel is then sampled from its place there.
//
// Threads: any; the object is immutable.
#pragma once

#include <optional>

#include "player/panel/warp_row.hpp"
#include "player/picture/placement.hpp"
#include "player/scene/messages.hpp"
#include "wallconfigs/panel_map.hpp"

namespace tilewall::panel {

class PanelWarp {
 public:
  /// `map` leads from the panel's viewed pixels to a canvas of size `canvas_px`.
  PanelWarp(const wall::PanelMap& map, SizePx viewed_px, SizePx canvas_px);

  /// The part of the canvas to draw flat, in whole pixels, and the size of the flat picture. It has
  /// canvas pixels one to one, unless all panel pixels are much smaller or much larger.
  [[nodiscard]] const RectF& canvas_part_px() const noexcept { return part_px_; }
  [[nodiscard]] SizePx drawn_size_px() const noexcept { return drawn_px_; }

  /// Warps the flat picture into the panel's, with bilinear interpolation. 2560x1600 takes 16 to 20
  /// cpu-ms (Sapphire Rapids class, AVX2).
  /// @pre `drawn` has drawn_size_px(), `picture` the viewed size; they do not overlap
  void run(const ImageView& drawn, const ImageView& picture) const noexcept;

 private:
  RectF part_px_;
  SizePx drawn_px_;
  wall::PanelMap map_;  ///< Map from the panel's pixels to the drawn picture's
  WarpRowFn warp_row_;
};

/// The flat picture of a panel in one bezel mode and content mode, and the warp from it to the
/// panel's picture where one is needed.
struct FlatView {
  SizePx canvas_px;
  picture::PanelOnCanvas drawn;   ///< the part of the canvas, and the size of the flat picture
  std::optional<PanelWarp> warp;  ///< empty: the flat picture is the panel's picture
};

[[nodiscard]] FlatView flat_view(const scene::PanelConfig& config, wall::BezelMode bezels,
                                 wall::ContentMode content);

}  // namespace tilewall::panel
