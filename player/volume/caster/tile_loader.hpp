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
#include <optional>
#include <stop_token>
#include <vector>

#include "player/volume/volume_levels.hpp"
#include "render/readers/voxel_reader.hpp"

namespace tilewall::volume {

/// Voxels of neighbouring bricks along x, with one more beyond their ends, and the tiles that are
/// to be loaded from them.
class TileRun;

/// Tiles that are read, and not loaded yet. Movable.
class StagedTiles {
 public:
  StagedTiles();
  ~StagedTiles();
  StagedTiles(StagedTiles&& other) noexcept;
  StagedTiles& operator=(StagedTiles&& other) noexcept;

  void add(TileRun run);
  /// Memory that they take.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Returns one of the runs, which is then no longer among them; empty if none is left.
  [[nodiscard]] std::optional<TileRun> take();

 private:
  std::vector<TileRun> runs_;
  std::size_t bytes_ = 0;
};

struct TileLoading {
  int timestep = 0;
  int grid = 0;                  ///< number of the file's grid
  std::size_t window_bytes = 0;  ///< limit for the voxels that are read at a time
  int threads = 1;
};

/// Loads the choice's tiles that are missing, and drops tiles that are not needed if their room is.
/// Throws what VoxelReader::read_box() throws; tiles are then missing, as when `stop` is requested.
/// `staged`: what stage_tiles() read for this choice. @pre `volume` has the choice's level, box and
/// fill.
void load_tiles(render::VoxelReader& file, const DetailChoice& choice, const TileLoading& how,
                render::Volume& volume, StagedTiles staged, const std::stop_token& stop);

/// Reads what load_tiles() would read, up to `most_bytes`, while others read the volume. What is
/// read is kept where `stop` is requested, or the file cannot be read.
[[nodiscard]] StagedTiles stage_tiles(render::VoxelReader& file, const DetailChoice& choice,
                                      const TileLoading& how, const render::Volume& volume,
                                      std::size_t most_bytes, const std::stop_token& stop);

}  // namespace tilewall::volume
