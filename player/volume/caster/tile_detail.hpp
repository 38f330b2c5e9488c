// The tiles of a volume in bricks that a picture needs, from its file into memory.
//
// Threads: the caller's, and helpers that end before calls return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

#include "player/volume/caster/ready_timestep.hpp"
#include "player/volume/volume_levels.hpp"
#include "render/readers/volume_file.hpp"

namespace tilewall::volume {

/// A volume for the choice's box without any tile yet. @pre choice.tiles
[[nodiscard]] render::Volume empty_tiled_volume(const VolumeLevel& level,
                                                const DetailChoice& choice,
                                                render::ValueScale scale);

struct TileLoading {
  int timestep = 0;
  int grid = 0;
  std::size_t window_bytes = 0;  ///< of what is read at a time
  int threads = 1;
};

/// Loads those of the choice's tiles that are not there. Others stay, unless they take room that is
/// needed. Throws as VolumeFile::read_box does; then, and when `stop` was requested, some are
/// missing. @pre `volume` is of the choice's level, box and fill
void load_tiles(render::VoxelReader& file, const DetailChoice& choice, const TileLoading& how,
                render::Volume& volume, const std::stop_token& stop);

/// Whether all of them are loaded.
[[nodiscard]] bool has_tiles(const render::Volume& volume, const render::TileNeeds& needs) noexcept;

/// The part of a timestep that a picture needs finer than the whole, and how far reading it is.
///
/// Pure; guarded by its owner's mutex.
struct WantedDetail {
  std::int64_t timestep = 0;
  DetailChoice choice;
  ReadyTimestepPtr ready = {};  ///< what is there of it; null: nothing
  bool failed = false;
  std::string fault = {};  ///< of failed
  bool complete = false;   ///< `ready` has all of the choice

  /// Whether it has, or will have, all that `wanted` needs.
  [[nodiscard]] bool serves(std::int64_t of, const DetailChoice& wanted) const;
  /// Whether both are tiles of the same volume, so that what is there can stay.
  [[nodiscard]] bool can_become(std::int64_t of, const DetailChoice& wanted) const;
};

}  // namespace tilewall::volume
