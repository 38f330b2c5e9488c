// Makes a panel's request to the caster for its part of a volume's picture.
#pragma once

#include "player/picture/draw_parameters.hpp"
#include "player/scene/volume_look.hpp"
#include "player/volume/cast_wire.hpp"

namespace tilewall::volume {

/// Fills in camera, picture size and part of a request; not its timestep and detail. `part_px` is
/// the size of the panel's part. If the region lies on whole pixels of the panel, all panels of a
/// flat wall have the same rays. Elsewhere rays go through the panel's own pixels, and on a tilted
/// screen through the places of its pixels in the room.
/// @pre `placement.movie_px` is all of the region's picture, neither zoomed nor cut.
[[nodiscard]] CastMessage cast_request(const scene::VolumeShot& shot,
                                       const picture::Placement& placement, SizePx part_px);

}  // namespace tilewall::volume
