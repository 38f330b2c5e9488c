// What of a volume in bricks a picture takes besides the overview, where the ranges of its cells
// are known: of a level the tiles that show something, wherever they are.
//
// It follows from the arguments alone, as volume_levels does. Pure; any thread.
#pragma once

#include <functional>
#include <vector>

#include "player/volume/volume_levels.hpp"

namespace tilewall::volume {

/// How a picture shows numbers.
struct ShownLook {
  render::TransferFunction function;
  render::CastStyle style;  ///< but for its step
  double samples_per_voxel = 1;
};

/// The cells of a level of volume_levels(); null where nothing is known of them.
using CellsOfLevel = std::function<const render::CellPairs*(int level)>;

/// What CellPairs of a level take in memory.
[[nodiscard]] std::size_t cell_pairs_bytes(render::VolumeSize level) noexcept;
/// Bytes that so many tiles of a volume of `size` take while it is shown, with all beside them.
[[nodiscard]] std::size_t tiled_bytes(render::VolumeSize size, std::size_t tiles) noexcept;

/// As choose_detail(), of u8; a level of which nothing is known, or too much to be held, is taken
/// as there.
[[nodiscard]] std::optional<DetailChoice> choose_tiles(const std::vector<VolumeLevel>& levels,
                                                       const MemoryPlan& plan,
                                                       render::ValueScale scale,
                                                       const SeenPart& seen, const ShownLook& look,
                                                       const CellsOfLevel& cells);

// What a picture sees of a volume: the body between its frustum, the volume's sides and what clips
// it. Pure; any thread.

/// In the world. Empty, without corners, where nothing is seen.
struct VisiblePolyhedron {
  std::vector<render::ClipPlane> sides;  ///< normals of unit length, inwards
  std::vector<Vec3d> corners;
  double pixel = 0;  ///< how wide a pixel is where the body is nearest
};
/// Throws InputError for a camera without meaning.
[[nodiscard]] VisiblePolyhedron visible_polyhedron(const VolumeLevel& finest, const SeenPart& seen);

/// A voxel that covers less of a pixel than this shows nothing that the next level does not.
inline constexpr double least_voxel_px = 0.71;
/// Of a cube with the volume of a voxel.
[[nodiscard]] double voxel_length(const VolumeLevel& level) noexcept;

/// The level's voxels that samples among the corners touch. @pre there are some
[[nodiscard]] render::GridBox touched_box(const VolumeLevel& level,
                                          const std::vector<Vec3d>& corners);
/// By 1 / margin of its sides at each end, within the volume; by nothing where margin is 0.
[[nodiscard]] render::GridBox grown(const render::GridBox& box, int margin,
                                    render::VolumeSize within);

}  // namespace tilewall::volume
