// Loads the tiles of a volume in bricks that a picture needs.
//
// A tile needs the first voxels of its neighbours too. So that no brick of the file is unpacked
// twice for that, bricks are read from the last to the first, and of each one the first voxels are
// kept until the bricks before it are read. Of a brick that is read, tiles that show something
// outside of the picture are loaded too while there is room: a camera that moves needs them soon.
//
// Threads: the caller's, and helpers that end before calls return.
#pragma once

#include <cstddef>
#include <stop_token>

#include "player/volume/volume_levels.hpp"
#include "render/readers/voxel_reader.hpp"

namespace tilewall::volume {

struct TileLoading {
  int timestep = 0;
  int grid = 0;                  ///< number of the file's grid
  std::size_t window_bytes = 0;  ///< limit for the voxels that are read at a time
  int threads = 1;
};

/// Loads the choice's tiles that are missing, and drops tiles that are not needed if their room is.
/// Throws what VoxelReader::read_box() throws; tiles are then missing, as when `stop` is requested.
/// @pre `volume` has the choice's level, box and fill.
void load_tiles(render::VoxelReader& file, const DetailChoice& choice, const TileLoading& how,
                render::Volume& volume, const std::stop_token& stop);

}  // namespace tilewall::volume
