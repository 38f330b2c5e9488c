// What of a volume in bricks a picture takes besides the overview, where the ranges of its cells
// are known: of a level the tiles that show something, wherever they are.
//
// It follows from the arguments alone, as volume_levels does. Pure; any thread.
#pragma once

#include <functional>

#include "player/volume/volume_levels.hpp"

namespace tilewall {

/// How a picture shows numbers.
struct ShownLook {
  TransferFunction function;
  CastStyle style;  ///< but for its step
  double samples_per_voxel = 1;
};

/// The cells of a level of volume_levels(); null where nothing is known of them.
using CellsOfLevel = std::function<const CellPairs*(int level)>;

/// What CellPairs of a level take in memory.
[[nodiscard]] std::size_t cell_pairs_bytes(VolumeSize level) noexcept;
/// Bytes that so many tiles of a volume of `size` take while it is shown, with all beside them.
[[nodiscard]] std::size_t tiled_bytes(VolumeSize size, std::size_t tiles) noexcept;

/// As choose_detail(), of u8; a level of which nothing is known, or too much to be held, is taken
/// as there.
[[nodiscard]] std::optional<DetailChoice> choose_tiles(const std::vector<VolumeLevel>& levels,
                                                       const MemoryPlan& plan, ValueScale scale,
                                                       const SeenPart& seen, const ShownLook& look,
                                                       const CellsOfLevel& cells);

}  // namespace tilewall
