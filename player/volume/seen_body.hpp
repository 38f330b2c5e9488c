// What a picture sees of a volume: the body between its frustum, the volume's sides and what clips
// it. Pure; any thread.
#pragma once

#include <vector>

#include "player/volume/volume_levels.hpp"

namespace tilewall {

/// In the world. Empty, without corners, where nothing is seen.
struct SeenBody {
  std::vector<ClipPlane> sides;  ///< normals of unit length, inwards
  std::vector<Vec3d> corners;
  double pixel = 0;  ///< how wide a pixel is where the body is nearest
};
/// Throws InputError for a camera without meaning.
[[nodiscard]] SeenBody seen_body(const VolumeLevel& finest, const SeenPart& seen);

/// A voxel that covers less of a pixel than this shows nothing that the next level does not.
inline constexpr double least_voxel_px = 0.71;
/// Of a cube with the volume of a voxel.
[[nodiscard]] double voxel_length(const VolumeLevel& level) noexcept;

/// The level's voxels that samples among the corners touch. @pre there are some
[[nodiscard]] GridBox touched_box(const VolumeLevel& level, const std::vector<Vec3d>& corners);
/// By 1 / margin of its sides at each end, within the volume; by nothing where margin is 0.
[[nodiscard]] GridBox grown(const GridBox& box, int margin, VolumeSize within);

}  // namespace tilewall
