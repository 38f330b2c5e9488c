// What a panel draws flat in a bezel mode and a content mode, before a warp makes its picture of it
// where one is needed.
#pragma once

#include <optional>

#include "player/panel/panel_warp.hpp"
#include "player/picture/placement.hpp"
#include "player/scene/messages.hpp"

namespace tilewall {

struct FlatView {
  SizePx canvas_px;
  PanelOnCanvas drawn;  ///< the part of the canvas, and the size of the picture it is drawn at
  std::optional<PanelWarp> warp;  ///< from there to the panel's picture; empty: it is that
};

[[nodiscard]] FlatView flat_view(const PanelConfig& config, BezelMode bezels, ContentMode content);

}  // namespace tilewall
