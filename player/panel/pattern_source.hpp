// Test patterns as a picture source.
#pragma once

#include <memory>
#include <string>

#include "player/movie/frames/picture_source.hpp"
#include "player/panel/flat_view.hpp"
#include "player/scene/messages.hpp"

namespace tilewall {

/// The pattern `name` as this panel draws it. Throws InputError naming the nearest pattern.
[[nodiscard]] std::unique_ptr<PictureSource> open_pattern(const std::string& name,
                                                          const PanelConfig& config,
                                                          const FlatView& view);

}  // namespace tilewall
