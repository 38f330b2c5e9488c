// Makes the picture source that a scene names, for one panel.
#pragma once

#include <memory>

#include "player/movie/frames/picture_source.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

/// Throws InputError naming what cannot be opened.
[[nodiscard]] std::unique_ptr<PictureSource> open_source(const SourceSpec& spec,
                                                         const PanelConfig& config,
                                                         BezelMode bezels);

}  // namespace tilewall
