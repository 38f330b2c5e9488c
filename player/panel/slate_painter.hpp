// Paints slates: calm cards with a text, in place of regions whose pictures do not come. A slate
// lies on the canvas like a picture, so it goes on from panel to panel.
//
// Threads: one owner, the decode thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "player/picture/placement.hpp"
#include "player/scene/scene.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::panel {

class SlatePainter {
 public:
  /// Paints the region's slate into `drawn_px` of the panel's picture. Copies what it has painted
  /// before where nothing has changed.
  void paint(const scene::Region& region, const RectPx& drawn_px,
             const picture::PanelOnCanvas& panel, const ImageView& picture);

 private:
  /// A panel's part of a slate.
  struct Card {
    std::string text;
    RectF region_px;
    RectF panel_px;
    RectPx drawn_px;
    std::vector<std::uint8_t> pixels;  ///< rows of BGRX, without gaps
  };
  [[nodiscard]] const Card& card_of(const scene::Region& region, const RectPx& drawn_px,
                                    const picture::PanelOnCanvas& panel);

  std::vector<Card> cards_;  // a few, the newest last
};

}  // namespace tilewall::panel
