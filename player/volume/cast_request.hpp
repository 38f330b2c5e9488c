// A panel's part of a volume's picture, as it asks its caster for it.
#pragma once

#include "player/picture/draw_parameters.hpp"
#include "player/scene/volume_look.hpp"
#include "player/volume/cast_wire.hpp"

namespace tilewall::volume {

/// Camera, grid of pixels and part; not which timestep, and how fine. In pixels of the whole
/// region's picture where the region lies on whole pixels, and so the same rays on every panel of a
/// flat wall; in the panel's own elsewhere. A tilted screen's pixels have its own rays.
/// @pre the region's picture has been neither zoomed nor cut: all of it is `movie_px`
[[nodiscard]] CastMessage cast_request(const scene::VolumeShot& shot,
                                       const picture::Placement& placement, SizePx part_px);

}  // namespace tilewall::volume
