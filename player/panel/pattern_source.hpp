// Test patterns as a picture source.
#pragma once

#include <memory>
#include <string>

#include "player/panel/flat_view.hpp"
#include "player/picture/picture_source.hpp"
#include "player/scene/messages.hpp"

namespace tilewall {

/// The pattern `name` as this panel draws it. Throws InputError naming the nearest pattern.
[[nodiscard]] std::unique_ptr<PictureSource> open_pattern(const std::string& name,
                                                          const PanelConfig& config,
                                                          const FlatView& view);

}  // namespace tilewall
