// Chooses the detail of a volume in bricks by the ranges of its cells: the tiles of a level in
// which a picture shows something.
//
// Like in volume_levels, the choice depends on the arguments alone. Threads: pure functions.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "player/volume/volume_levels.hpp"

namespace tilewall::volume {

/// How a picture shows values.
struct ShownLook {
  render::TransferFunction function;
  render::CastStyle style;       ///< The step is ignored, because it depends on the level
  double samples_per_voxel = 1;  ///< The fewest that a picture takes
  bool operator==(const ShownLook&) const = default;
};

/// The ranges of a level's cells; null if they are not known. The caller owns them.
using CellsOfLevel = std::function<const render::CellPairs*(int level)>;

/// The tiles of levels in which a look shows something. They are found once for all cameras.
///
/// Threads: one owner.
class ShownTilesCache {
 public:
  /// Returns what `find` does, or did at the last call with equal arguments. The reference is valid
  /// until the next call.
  const render::ShownTiles& get(int level, const render::GridBox& region, const ShownLook& look,
                                const std::function<render::ShownTiles()>& find);
  /// Forgets a level, as its cells are others now or are needed no longer.
  void forget(int level) { of_level_.erase(level); }
  void clear() noexcept { of_level_.clear(); }

 private:
  struct Found {
    render::GridBox region;
    ShownLook look;
    render::ShownTiles tiles;
  };
  std::map<int, Found> of_level_;
};

/// Memory of the CellPairs of a level of this size, in bytes.
[[nodiscard]] std::size_t cell_pairs_bytes(render::VolumeSize level) noexcept;
/// Memory in bytes that a volume of `size` with this number of tiles takes while it is shown.
[[nodiscard]] std::size_t tiled_bytes(render::VolumeSize size, std::size_t tiles) noexcept;

/// Chooses a detail of a u8 volume like choose_detail(), but with tiles. A level whose ranges are
/// not known, or are too large to hold, is tried as a box. `cache` saves time, and changes nothing.
[[nodiscard]] std::optional<DetailChoice> choose_tiles(
    const std::vector<VolumeLevel>& levels, const MemoryPlan& plan, render::ValueScale scale,
    const SeenPart& seen, const ShownLook& look, const CellsOfLevel& cells, ShownTilesCache& cache);

// The visible part of a volume: the intersection of the picture's frustum, the volume's box, the
// clip box and the clip planes.

/// In world coordinates. Without corners, nothing is visible.
struct VisiblePolyhedron {
  std::vector<render::ClipPlane> sides;  ///< unit normals that point inwards
  std::vector<Vec3d> corners;
  double pixel = 0;  ///< width of a pixel where the body is nearest, in world units
};
/// Throws InputError if the camera is not valid.
[[nodiscard]] VisiblePolyhedron visible_polyhedron(const VolumeLevel& finest, const SeenPart& seen);

/// Voxels that are smaller than this many pixels show nothing more than the next level's.
inline constexpr double least_voxel_px = 0.71;
/// Side of a cube with the volume of a voxel, in world units.
[[nodiscard]] double voxel_length(const VolumeLevel& level) noexcept;

/// The level's voxels that samples between the corners touch. @pre `corners` is not empty.
[[nodiscard]] render::GridBox touched_box(const VolumeLevel& level,
                                          const std::vector<Vec3d>& corners);
/// The box with 1 / margin of its sides added at each end, cut to the volume; margin 0 adds none.
[[nodiscard]] render::GridBox grown(const render::GridBox& box, int margin,
                                    render::VolumeSize within);

}  // namespace tilewall::volume
